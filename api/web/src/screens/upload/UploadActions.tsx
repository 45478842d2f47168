import { Button, FileButton, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { FolderOpen, Pause, Play, RotateCw, X } from "lucide-react";
import type { ReactNode } from "react";
import { uploadTexts } from "@/texts/upload";
import type { UploadState } from "@/uploads/rows";
import { ACCEPTED } from "./DropZone";
import type { UploadItemProps } from "./UploadItem";

/** Nothing is stopped by taking these off the list. */
const OFF_THE_LIST: ReadonlySet<UploadState> = new Set<UploadState>(["done", "ready", "unsupported"]);

export function UploadActions({ row, uploader, onFiles, onRemoved }: UploadItemProps) {
  const { id, name, state } = row;
  const remove = () => {
    uploader.remove(id);
    onRemoved();
  };
  const chooseAgain = async (file: File | null) => {
    if (!file) return;
    await onFiles([file]);
    const stillMissing = uploader.getRows().some((other) => other.id === id && other.state === "file_missing");
    if (stillMissing) {
      notifications.show({
        color: "yellow",
        title: uploadTexts.differentFile,
        message: uploadTexts.differentFileHint(name),
      });
    }
  };
  return (
    <Group gap={6}>
      {(state === "uploading" || state === "in_line") && (
        <Action icon={<Pause size={14} aria-hidden />} name={name} onClick={() => uploader.pause(id)}>
          {uploadTexts.pause}
        </Action>
      )}
      {state === "paused" && (
        <Action icon={<Play size={14} aria-hidden />} name={name} onClick={() => uploader.resume(id)}>
          {uploadTexts.resume}
        </Action>
      )}
      {state === "failed" && (
        <Action icon={<RotateCw size={14} aria-hidden />} name={name} onClick={() => uploader.start(id)}>
          {uploadTexts.retry}
        </Action>
      )}
      {state === "file_missing" && (
        <FileButton accept={ACCEPTED} onChange={chooseAgain}>
          {(props) => (
            <Action icon={<FolderOpen size={14} aria-hidden />} name={name} {...props}>
              {uploadTexts.selectFile}
            </Action>
          )}
        </FileButton>
      )}
      <Action icon={<X size={14} aria-hidden />} name={name} onClick={remove}>
        {OFF_THE_LIST.has(state) ? uploadTexts.remove : uploadTexts.cancel}
      </Action>
    </Group>
  );
}

interface ActionProps {
  icon: ReactNode;
  /** Of the file: many rows have the same button. */
  name: string;
  onClick: () => void;
  children: string;
}

function Action({ icon, name, onClick, children }: ActionProps) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={icon}
      onClick={onClick}
      aria-label={uploadTexts.actionOn(children, name)}
    >
      {children}
    </Button>
  );
}

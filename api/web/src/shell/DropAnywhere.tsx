import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { CloudUpload } from "lucide-react";
import { useCallback } from "react";
import { messageOf } from "@/api/problem";
import { uploadTexts } from "@/texts/upload";
import { addFiles } from "@/uploads/addFiles";
import { type UploadOptionValues, useUploadOptions } from "@/uploads/options";
import type { Added } from "@/uploads/uploader";
import classes from "./DropAnywhere.module.css";
import { useFileDrop } from "./useFileDrop";

const texts = uploadTexts.drop;

/** Takes files that are dropped on any screen, and says beforehand what will happen to them. */
export function DropAnywhere() {
  const [options] = useUploadOptions();
  const navigate = useNavigate();
  const onFiles = useCallback(
    async (files: File[]) => {
      const add = addFiles(files, options);
      try {
        if (isBusyWithDialog()) {
          sayWhatWasAdded(await add);
        } else await Promise.all([add, navigate({ to: "/upload" })]);
      } catch (error) {
        notifications.show({ color: "red", title: texts.failed, message: messageOf(error), autoClose: 10_000 });
      }
    },
    [options, navigate],
  );
  const isOver = useFileDrop(onFiles);
  return isOver && <DropOverlay options={options} />;
}

function DropOverlay({ options: { collection, priority, atOnce } }: { options: UploadOptionValues }) {
  const details = [
    collection.trim() && texts.collection(collection.trim()),
    priority !== "normal" && texts.priority(uploadTexts.options[priority]),
  ].filter(Boolean);
  return (
    <div className={classes.overlay}>
      <div className={classes.message}>
        <CloudUpload size={48} strokeWidth={1.4} aria-hidden />
        <Text size="xl" fw={650}>
          {texts.title}
        </Text>
        <Text>{atOnce ? texts.startsNow : texts.startsLater}</Text>
        {details.length > 0 && <Text c="dimmed">{details.join(" · ")}</Text>}
      </div>
    </div>
  );
}

function sayWhatWasAdded({ added, unsupported }: Added): void {
  if (added > 0) notifications.show({ color: "green", message: texts.added(added) });
  if (unsupported > 0) notifications.show({ color: "red", message: texts.unsupported(unsupported), autoClose: 10_000 });
}

/** What is typed there, or a secret shown there, must not go because the screen changes. */
function isBusyWithDialog(): boolean {
  return document.querySelector("[role=dialog]") !== null;
}

import { Button, FileButton, Text } from "@mantine/core";
import { CloudUpload } from "lucide-react";
import { useRef } from "react";
import { uploadTexts } from "@/texts/upload";
import classes from "./DropZone.module.css";

/** Some systems do not know these as videos. */
export const ACCEPTED = "video/*,audio/*,.mkv,.mxf,.ts,.m2ts,.mts,.avi,.flv,.wmv,.vob,.mov";

/** Takes files by the button; every screen takes those that are dropped. */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const reset = useRef<() => void>(null);
  const take = (files: File[]) => {
    onFiles(files);
    // So that the same file may be chosen again.
    reset.current?.();
  };
  return (
    <div className={classes.zone}>
      <CloudUpload size={36} strokeWidth={1.4} aria-hidden color="var(--mantine-color-dimmed)" />
      <Text>{uploadTexts.dropHint}</Text>
      <FileButton multiple accept={ACCEPTED} onChange={take} resetRef={reset}>
        {(props) => <Button {...props}>{uploadTexts.selectFiles}</Button>}
      </FileButton>
    </div>
  );
}

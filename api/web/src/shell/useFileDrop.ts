import { getDroppedFiles } from "@uppy/core/utils";
import { useEffect, useState } from "react";

/** Files that are dropped anywhere in the window. Returns whether some are held over it. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    // An image of the page that is dragged looks like a file.
    let isOurs = false;
    const onStart = () => {
      isOurs = true;
    };
    const onEnd = () => {
      isOurs = false;
    };
    const hasFiles = (event: DragEvent) => !isOurs && (event.dataTransfer?.types.includes("Files") ?? false);
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const onLeave = (event: DragEvent) => {
      // Between elements there is always a next one; at the edge of the window there is none.
      if (event.relatedTarget === null) setIsOver(false);
    };
    const onDrop = async (event: DragEvent) => {
      setIsOver(false);
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      const files = await getDroppedFiles(event.dataTransfer);
      if (files.length > 0) onFiles(files);
    };
    addEventListener("dragstart", onStart);
    addEventListener("dragend", onEnd);
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragstart", onStart);
      removeEventListener("dragend", onEnd);
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [onFiles]);
  return isOver;
}

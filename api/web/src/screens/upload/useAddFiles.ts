import { notifications } from "@mantine/notifications";
import { useCallback } from "react";
import { uploadTexts } from "@/texts/upload";
import type { Uploader } from "@/uploads/uploader";
import type { UploadOptionValues } from "./useUploadOptions";

export function useAddFiles(uploader: Uploader, { collection, priority, atOnce }: UploadOptionValues) {
  return useCallback(
    (files: readonly File[]) => {
      const leftOut = uploader.add(files, { collection: collection.trim(), priority });
      if (leftOut.length > 0) {
        notifications.show({
          color: "yellow",
          title: uploadTexts.alreadyListed(leftOut.length),
          message: leftOut.slice(0, 3).join(", "),
        });
      }
      if (atOnce) uploader.startAll();
    },
    [uploader, collection, priority, atOnce],
  );
}

import { useLocalStorage } from "@mantine/hooks";
import type { Priority } from "./engine";

export interface UploadOptionValues {
  collection: string;
  priority: Priority;
  /** Whether files go off as soon as they are added. */
  atOnce: boolean;
}

/** What the next files get; kept for the next visit. */
export function useUploadOptions() {
  return useLocalStorage<UploadOptionValues>({
    key: "framefarm-upload-options",
    defaultValue: { collection: "", priority: "normal", atOnce: true },
    getInitialValueInEffect: false,
  });
}

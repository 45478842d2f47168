import { notifications } from "@mantine/notifications";
import { loadPatiently } from "@/parts/load";
import { uploadTexts } from "@/texts/upload";
import type { UploadOptionValues } from "./options";
import type { Added } from "./uploader";

/** Puts files into the list of uploads, from whatever screen. Says how many are in the list twice. */
export async function addFiles(files: readonly File[], options: UploadOptionValues): Promise<Added> {
  const { getUploader } = await loadPatiently(() => import("./uploader"));
  const uploader = await getUploader();
  const outcome = await uploader.add(files, { ...options, collection: options.collection.trim() });
  const { listed } = outcome;
  if (listed.length > 0) {
    notifications.show({
      color: "yellow",
      title: uploadTexts.alreadyListed(listed.length),
      message: listed.slice(0, 3).join(", "),
    });
  }
  return outcome;
}

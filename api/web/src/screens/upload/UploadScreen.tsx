import { Stack } from "@mantine/core";
import { Suspense, use } from "react";
import { PageHeader } from "@/components/PageHeader";
import { RowsSkeleton } from "@/components/Skeletons";
import { uploadTexts } from "@/texts/upload";
import { addFiles } from "@/uploads/addFiles";
import { useUploadOptions } from "@/uploads/options";
import { getUploader } from "@/uploads/uploader";
import { DropZone } from "./DropZone";
import { ImportPanel } from "./intake/ImportPanel";
import { IntakeList } from "./intake/IntakeList";
import { UploadList } from "./UploadList";
import { UploadOptions } from "./UploadOptions";

export function UploadScreen() {
  return (
    <>
      <PageHeader title={uploadTexts.title}>{uploadTexts.subtitle}</PageHeader>
      <Suspense fallback={<RowsSkeleton rows={2} height={120} />}>
        <Uploads />
      </Suspense>
    </>
  );
}

function Uploads() {
  const uploader = use(getUploader());
  const [options, setOptions] = useUploadOptions();
  const onFiles = (files: File[]) => addFiles(files, options);
  return (
    <Stack gap="lg">
      <UploadOptions options={options} onChange={setOptions} />
      <DropZone onFiles={onFiles} />
      <ImportPanel options={options} />
      <UploadList uploader={uploader} onFiles={onFiles} />
      <IntakeList />
    </Stack>
  );
}

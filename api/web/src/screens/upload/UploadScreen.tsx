import { PageHeader } from "@/components/PageHeader";

export function UploadScreen() {
  return <PageHeader title="Upload" />;
}

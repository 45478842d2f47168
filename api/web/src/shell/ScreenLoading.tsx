import { RowsSkeleton } from "@/components/Skeletons";

export function ScreenLoading() {
  return <RowsSkeleton rows={4} height={60} />;
}

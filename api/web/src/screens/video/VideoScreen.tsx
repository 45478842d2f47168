import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { videoQuery } from "@/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { QualityBars, toQualityBars } from "@/components/QualityBars";
import { RowsSkeleton } from "@/components/Skeletons";
import { StatusBadge } from "@/components/StatusBadge";

const route = getRouteApi("/shell/library/$id");

export function VideoScreen() {
  const { id } = route.useParams();
  const video = useQuery(videoQuery(id));
  return (
    <>
      <PageHeader title={video.data?.video.title ?? "Video"} />
      {video.isPending && <RowsSkeleton />}
      {video.isError && <ErrorState error={video.error} retry={() => video.refetch()} />}
      {video.data && (
        <Stack align="flex-start">
          <StatusBadge video={video.data.video.status} />
          <QualityBars variant="full" qualities={toQualityBars(video.data.qualities)} />
        </Stack>
      )}
    </>
  );
}

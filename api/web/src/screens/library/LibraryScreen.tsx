import { Button, Group, Stack, Table, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { videosQuery } from "@/api/queries";
import type { Video } from "@/api/types";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { ButtonLink, TextLink } from "@/components/links";
import { PageHeader } from "@/components/PageHeader";
import { QualityBars, toQualityBars } from "@/components/QualityBars";
import { RowsSkeleton } from "@/components/Skeletons";
import { StatusBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";

const route = getRouteApi("/shell/library");

export function LibraryScreen() {
  const { status, search, collection } = route.useSearch();
  const navigate = route.useNavigate();
  const videos = useInfiniteQuery(videosQuery({ status, search, collection }));
  return (
    <>
      <PageHeader title="Videos" />
      <TextInput
        data-page-search
        type="search"
        aria-label="Search in titles"
        placeholder="Search in titles"
        mb="md"
        maw={360}
        defaultValue={search}
        onChange={({ currentTarget: { value } }) =>
          navigate({ search: (old) => ({ ...old, search: value || undefined }), replace: true })
        }
      />
      {videos.isPending && <RowsSkeleton />}
      {videos.isError && <ErrorState error={videos.error} retry={() => videos.refetch()} />}
      {videos.data && <Videos items={videos.data.pages.flatMap(({ items }) => items)} />}
      {videos.hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={videos.isFetchingNextPage} onClick={() => videos.fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </>
  );
}

function Videos({ items }: { items: Video[] }) {
  if (items.length === 0) {
    return <EmptyState title="No videos here" action={<ButtonLink to="/upload">Upload a video</ButtonLink>} />;
  }
  return (
    <Table.ScrollContainer minWidth={500}>
      <Table verticalSpacing="sm">
        <Table.Tbody>
          {items.map((video) => (
            <Table.Tr key={video.id}>
              <Table.Td>
                <TextLink to="/library/$id" params={{ id: video.id }}>
                  {video.title}
                </TextLink>
              </Table.Td>
              <Table.Td>
                <Stack gap={6} align="flex-start">
                  <StatusBadge video={video.status} />
                  {video.work && <QualityBars qualities={toQualityBars(video.work.qualities)} />}
                </Stack>
              </Table.Td>
              <Table.Td>
                <TimeAgo time={video.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { videoQuery } from "@/api/queries";
import { TextLink } from "@/components/links";
import { ToneBadge } from "@/components/StatusBadge";
import type { UploadRow } from "@/uploads/rows";
import { VideoState } from "../library/VideoState";

const uploaded = <ToneBadge label="Uploaded" tone="good" />;

/** What became of an upload: its video, live. */
export function UploadedVideo({ row }: { row: UploadRow }) {
  if (!row.videoId) return uploaded;
  return (
    <Stack gap={6} align="stretch">
      {row.deduplicated && (
        <Text size="sm" c="dimmed">
          The server had this file already; nothing is transcoded twice.
        </Text>
      )}
      <Became id={row.videoId} />
    </Stack>
  );
}

function Became({ id }: { id: string }) {
  const { data } = useQuery(videoQuery(id));
  return (
    <>
      {data ? <VideoState video={data.video} /> : <div>{uploaded}</div>}
      <div>
        <TextLink to="/library/$id" params={{ id }} size="sm">
          Open the video
        </TextLink>
      </div>
    </>
  );
}

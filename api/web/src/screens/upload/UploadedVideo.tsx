import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { videoQuery } from "@/api/queries";
import { TextLink } from "@/components/links";
import { ToneBadge } from "@/components/StatusBadge";
import { uploadTexts } from "@/texts/upload";
import type { UploadRow } from "@/uploads/rows";
import { VideoState } from "../videos/VideoState";

const uploaded = <ToneBadge label={uploadTexts.state.done} tone="good" />;

/** What became of an upload: its video, live. */
export function UploadedVideo({ row }: { row: UploadRow }) {
  if (!row.videoId) return uploaded;
  return (
    <Stack gap={6} align="stretch">
      <Became id={row.videoId} deduplicated={row.deduplicated} />
    </Stack>
  );
}

function Became({ id, deduplicated }: { id: string; deduplicated: boolean }) {
  const { data } = useQuery(videoQuery(id));
  return (
    <>
      {deduplicated && (
        <Text size="sm" c="dimmed">
          {data ? uploadTexts.alreadyUploadedAs(data.video.title) : uploadTexts.alreadyUploaded}
        </Text>
      )}
      {data ? <VideoState video={data.video} /> : <div>{uploaded}</div>}
      <div>
        <TextLink to="/library/$id" params={{ id }} size="sm">
          {uploadTexts.openVideo}
        </TextLink>
      </div>
    </>
  );
}

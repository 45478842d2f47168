import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { videoQuery } from "@/api/queries";
import type { VideoDetail } from "@/api/types";
import { EtaText } from "@/components/EtaText";
import { TextLink } from "@/components/links";
import { QualityBars, toQualityBars } from "@/components/QualityBars";
import { StatusBadge, ToneBadge } from "@/components/StatusBadge";
import { WaitingText } from "@/components/WaitingText";
import { asSentence, firstLine } from "@/format/sentence";
import type { UploadRow } from "@/uploads/rows";

/** What became of an upload: its video, live. */
export function UploadedVideo({ row }: { row: UploadRow }) {
  if (!row.videoId) return <ToneBadge label="Uploaded" tone="good" />;
  return (
    <Stack gap={6}>
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
    <Stack gap={6}>
      <Group gap="sm">
        {data ? <StatusBadge video={data.video.status} /> : <ToneBadge label="Uploaded" tone="good" />}
        <TextLink to="/library/$id" params={{ id }} size="sm">
          Open the video
        </TextLink>
        {data && <Outlook detail={data} />}
      </Group>
      {data?.video.status === "processing" && <QualityBars qualities={toQualityBars(data.qualities)} />}
    </Stack>
  );
}

function Outlook({ detail: { video } }: { detail: VideoDetail }) {
  if (video.status === "failed") {
    return (
      <Text size="sm" className="any-break">
        {asSentence(firstLine(video.error ?? ""))}
      </Text>
    );
  }
  if (!video.work) return null;
  if (video.work.waiting) return <WaitingText waiting={video.work.waiting} />;
  if (!video.work.eta) return null;
  return (
    <Text size="sm" c="dimmed">
      Ready in <EtaText eta={video.work.eta} />
    </Text>
  );
}

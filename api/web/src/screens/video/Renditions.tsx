import { Table, Text } from "@mantine/core";
import type { Quality, Video } from "@/api/types";
import { Bar } from "@/components/Bar";
import { StatusBadge } from "@/components/StatusBadge";
import { formatBytes } from "@/format/bytes";
import { formatPercent } from "@/format/count";
import { asSentence } from "@/format/sentence";
import { type PublishedRendition, publishedRenditions } from "./published";
import { Section } from "./Section";
import { resolution } from "./words";

interface RenditionsProps {
  video: Video;
  qualities: readonly Quality[];
}

export function Renditions({ video, qualities }: RenditionsProps) {
  if (qualities.length === 0) return null;
  const again = video.generation > 0 && video.work != null;
  // While a new version is made, what is published belongs to the one before.
  const published = again ? new Map<string, PublishedRendition>() : publishedRenditions(video.renditions);
  return (
    <Section title="Renditions" note={again ? "Of the version that is being made." : undefined}>
      <Table.ScrollContainer minWidth={720}>
        <Table verticalSpacing="xs" aria-label="Renditions">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Picture</Table.Th>
              <Table.Th>Codec</Table.Th>
              <Table.Th ta="end">Bitrate</Table.Th>
              <Table.Th ta="end">Size</Table.Th>
              <Table.Th ta="end">Segments</Table.Th>
              <Table.Th>Progress</Table.Th>
              <Table.Th ta="end">Pace</Table.Th>
              <Table.Th>Status</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {qualities.map((quality) => (
              <Row key={quality.name} quality={quality} published={published.get(quality.name)} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}

const codecNames: Record<string, string> = { h264: "H.264", hevc: "HEVC", av1: "AV1" };

function Row({ quality, published }: { quality: Quality; published: PublishedRendition | undefined }) {
  const percent = quality.status === "completed" ? 100 : quality.progress_percent;
  return (
    <>
      <Table.Tr>
        <Table.Th scope="row">{quality.name}</Table.Th>
        <Table.Td>{quality.kind === "audio" ? "Sound" : resolution(quality)}</Table.Td>
        <Table.Td title={quality.codecs ?? undefined}>{quality.codec ? codecNames[quality.codec] : "AAC"}</Table.Td>
        <Table.Td ta="end" className="numbers">
          {bitrate(published?.averageBandwidth ?? quality.bitrate_kbps * 1000)}
        </Table.Td>
        <Table.Td ta="end" className="numbers">
          {published ? formatBytes(published.bytes) : "–"}
        </Table.Td>
        <Table.Td ta="end" className="numbers">
          {quality.segments_completed} / {quality.segments_total}
        </Table.Td>
        <Table.Td miw={110}>
          {quality.status !== "skipped" && (
            <>
              <Bar percent={percent} label={`Quality ${quality.name}`} tone={barTone(quality)} />
              <Text size="xs" c="dimmed" className="numbers" aria-hidden>
                {formatPercent(percent)}
              </Text>
            </>
          )}
        </Table.Td>
        <Table.Td ta="end" className="numbers">
          {pace(quality)}
        </Table.Td>
        <Table.Td>
          <StatusBadge quality={quality.status} />
        </Table.Td>
      </Table.Tr>
      {quality.error && (
        <Table.Tr>
          <Table.Td colSpan={9}>
            <Text size="sm" className="any-break" style={{ color: "var(--tone-bad-text)" }}>
              {quality.name}: {asSentence(quality.error)}
            </Text>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function barTone({ status }: Quality) {
  return status === "completed" ? "good" : status === "failed" ? "bad" : "active";
}

function bitrate(bits: number): string {
  return bits >= 1_000_000 ? `${(bits / 1_000_000).toFixed(1)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`;
}

function pace({ fps, speed }: Quality): string {
  const parts = [fps == null ? "" : `${Math.round(fps)} fps`, speed == null ? "" : `${speed.toFixed(1)}×`];
  return parts.filter(Boolean).join(", ") || "–";
}

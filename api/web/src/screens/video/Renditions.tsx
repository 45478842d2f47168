import { Table, Text } from "@mantine/core";
import type { Quality, Video } from "@/api/types";
import { Bar } from "@/components/Bar";
import { StatusBadge } from "@/components/StatusBadge";
import { formatBytes } from "@/format/bytes";
import { formatPercent } from "@/format/count";
import { qualityLabel } from "@/format/quality";
import { asSentence } from "@/format/sentence";
import { commonTexts } from "@/texts/common";
import { videoTexts } from "@/texts/video";
import { type PublishedRendition, publishedRenditions } from "./published";
import { bitrate, codecName, pace } from "./renditionWords";
import { Section } from "./Section";
import classes from "./VideoScreen.module.css";
import { resolution, withoutSkipped } from "./words";

const texts = videoTexts.renditions;

interface RenditionsProps {
  video: Video;
  qualities: readonly Quality[];
}

export function Renditions({ video, qualities }: RenditionsProps) {
  const made = withoutSkipped(qualities);
  if (made.length === 0) return null;
  const again = video.generation > 0 && video.work != null;
  // While a new version is made, what is published belongs to the one before.
  const published = again ? new Map<string, PublishedRendition>() : publishedRenditions(video.renditions);
  const skipped = qualities.filter(({ status }) => status === "skipped").map(({ name }) => qualityLabel(name));
  return (
    <Section title={texts.title} note={again ? texts.newVersion : undefined}>
      <Table.ScrollContainer
        minWidth={560}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": texts.scrollArea } }}
      >
        <Table verticalSpacing="xs" aria-label={texts.title} className={classes.rendition}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.name}</Table.Th>
              <Table.Th>{texts.status}</Table.Th>
              <Table.Th className={classes.progress}>{texts.progress}</Table.Th>
              <Table.Th ta="end">{texts.segments}</Table.Th>
              <Table.Th ta="end">{texts.bitrate}</Table.Th>
              <Table.Th ta="end">{texts.size}</Table.Th>
              <Table.Th>{texts.codec}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {made.map((quality) => (
              <Row key={quality.name} quality={quality} published={published.get(quality.name)} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {skipped.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {texts.skipped(skipped.join(", "))}
        </Text>
      )}
    </Section>
  );
}

function Row({ quality, published }: { quality: Quality; published: PublishedRendition | undefined }) {
  const percent = quality.status === "completed" ? 100 : quality.progress_percent;
  return (
    <>
      <Table.Tr>
        <Table.Th scope="row">
          {qualityLabel(quality.name)}
          <div className={classes.sub}>{resolution(quality)}</div>
        </Table.Th>
        <Table.Td>
          <StatusBadge quality={quality.status} />
        </Table.Td>
        <Table.Td className={classes.progress}>
          <Bar
            percent={percent}
            label={commonTexts.qualities.progressBar(qualityLabel(quality.name))}
            tone={barTone(quality)}
          />
          <div className={classes.sub}>
            {[quality.status === "in_progress" && formatPercent(percent), ...pace(quality)].filter(Boolean).join(", ")}
          </div>
        </Table.Td>
        <Table.Td ta="end" className="numbers">
          {quality.segments_completed} / {quality.segments_total}
        </Table.Td>
        <Table.Td ta="end" className="numbers">
          {bitrate(published?.averageBandwidth ?? quality.bitrate_kbps * 1000)}
        </Table.Td>
        <Table.Td ta="end" className="numbers">
          {published ? formatBytes(published.bytes) : "–"}
        </Table.Td>
        <Table.Td title={quality.codecs ?? undefined}>{codecName(quality)}</Table.Td>
      </Table.Tr>
      {quality.error && (
        <Table.Tr>
          <Table.Td colSpan={7} style={{ whiteSpace: "normal" }}>
            <Text size="sm" className="any-break" style={{ color: "var(--tone-bad-text)" }}>
              {qualityLabel(quality.name)}: {asSentence(quality.error)}
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

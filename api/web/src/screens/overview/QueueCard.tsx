import { Text } from "@mantine/core";
import type { Depth, Eta } from "@/api/types";
import { EtaText } from "@/components/EtaText";
import { TextLink } from "@/components/links";
import { formatNumber } from "@/format/count";
import { formatSpan } from "@/format/duration";
import { useNow } from "@/format/now";
import { formatTime } from "@/format/time";
import { overviewTexts as texts } from "@/texts/overview";
import { Fact, Facts } from "./Facts";
import { Section } from "./Section";

interface QueueCardProps {
  depth: Depth;
  oldestWaitingAt: string | null;
  emptyIn: Eta | null | undefined;
}

export function QueueCard({ depth, oldestWaitingAt, emptyIn }: QueueCardProps) {
  const hasWork = depth.pending + depth.running > 0;
  return (
    <Section title={texts.queue.title}>
      <Facts>
        <Fact name={texts.queue.running}>
          <TextLink to="/queue" search={{ tab: "active" }} inherit>
            {formatNumber(depth.running)}
          </TextLink>
        </Fact>
        <Fact name={texts.queue.waiting}>
          <TextLink to="/queue" search={{ tab: "waiting" }} inherit>
            {formatNumber(depth.pending)}
          </TextLink>
        </Fact>
        <Fact name={texts.queue.failed}>
          <TextLink to="/queue" search={{ tab: "failed" }} inherit>
            {formatNumber(depth.errors)}
          </TextLink>
        </Fact>
        {oldestWaitingAt && (
          <Fact name={texts.queue.oldest}>
            <Age since={oldestWaitingAt} />
          </Fact>
        )}
        {hasWork && (
          <Fact name={texts.queue.timeToClear}>
            <EtaText eta={emptyIn} />
          </Fact>
        )}
      </Facts>
      {!hasWork && (
        <Text size="sm" c="dimmed" mt="xs">
          {texts.queue.empty}
        </Text>
      )}
    </Section>
  );
}

/** "40 s", with the full time as the title. */
function Age({ since }: { since: string }) {
  const seconds = (useNow(5_000) - Date.parse(since)) / 1000;
  return (
    <time dateTime={since} title={formatTime(since)}>
      {formatSpan(seconds)}
    </time>
  );
}

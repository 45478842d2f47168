import { Text } from "@mantine/core";
import type { Depth, Eta } from "@/api/types";
import { EtaText } from "@/components/EtaText";
import { TextLink } from "@/components/links";
import { TimeAgo } from "@/components/TimeAgo";
import { formatNumber } from "@/format/count";
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
    <Section title="Queue">
      <Facts>
        <Fact name="Running">
          <TextLink to="/queue" search={{ tab: "active" }} inherit>
            {formatNumber(depth.running)}
          </TextLink>
        </Fact>
        <Fact name="Waiting">
          <TextLink to="/queue" search={{ tab: "waiting" }} inherit>
            {formatNumber(depth.pending)}
          </TextLink>
        </Fact>
        <Fact name="Failed">
          <TextLink to="/queue" search={{ tab: "failed" }} inherit>
            {formatNumber(depth.errors)}
          </TextLink>
        </Fact>
        {oldestWaitingAt && (
          <Fact name="Oldest waiting since">
            <TimeAgo time={oldestWaitingAt} />
          </Fact>
        )}
        {hasWork && (
          <Fact name="Empty in">
            <EtaText eta={emptyIn} />
          </Fact>
        )}
      </Facts>
      {!hasWork && (
        <Text size="sm" c="dimmed" mt="xs">
          Nothing to do.
        </Text>
      )}
    </Section>
  );
}

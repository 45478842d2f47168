import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Depth, Eta } from "@/api/types";
import { EtaText } from "@/components/EtaText";
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
          <Anchor component={Link} to="/queue" search={{ tab: "active" }} inherit>
            {formatNumber(depth.running)}
          </Anchor>
        </Fact>
        <Fact name="Waiting">
          <Anchor component={Link} to="/queue" search={{ tab: "waiting" }} inherit>
            {formatNumber(depth.pending)}
          </Anchor>
        </Fact>
        <Fact name="Failed">
          <Anchor component={Link} to="/queue" search={{ tab: "failed" }} inherit>
            {formatNumber(depth.errors)}
          </Anchor>
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

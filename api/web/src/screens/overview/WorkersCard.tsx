import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ServiceHealth } from "@/api/types";
import { formatNumber } from "@/format/count";
import { Fact, Facts } from "./Facts";
import { Section } from "./Section";

export type WorkerCounts = ServiceHealth["processing"]["workers"];

export function onlineOf({ active, idle, busy }: WorkerCounts): number {
  return active + idle + busy;
}

export function WorkersCard({ counts }: { counts: WorkerCounts }) {
  const toWorkers = (
    <Anchor component={Link} to="/workers" size="sm">
      All workers
    </Anchor>
  );
  return (
    <Section title="Workers" aside={toWorkers}>
      <Facts>
        <Fact name="Busy">{formatNumber(counts.busy)}</Fact>
        <Fact name="Idle">{formatNumber(counts.idle + counts.active)}</Fact>
        <Fact name="Offline">{formatNumber(counts.offline)}</Fact>
        {counts.disabled > 0 && <Fact name="Disabled">{formatNumber(counts.disabled)}</Fact>}
      </Facts>
    </Section>
  );
}

import { TextLink } from "@/components/links";
import { formatNumber } from "@/format/count";
import type { WorkerCounts } from "@/format/workers";
import { Fact, Facts } from "./Facts";
import { Section } from "./Section";

export function WorkersCard({ counts }: { counts: WorkerCounts }) {
  const toWorkers = (
    <TextLink to="/workers" size="sm">
      All workers
    </TextLink>
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

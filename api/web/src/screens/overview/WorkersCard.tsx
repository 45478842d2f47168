import { TextLink } from "@/components/links";
import { formatNumber } from "@/format/count";
import type { WorkerCounts } from "@/format/workers";
import { overviewTexts as texts } from "@/texts/overview";
import { Fact, Facts } from "./Facts";
import { Section } from "./Section";

export function WorkersCard({ counts }: { counts: WorkerCounts }) {
  const toWorkers = (
    <TextLink to="/workers" size="sm">
      {texts.workers.all}
    </TextLink>
  );
  return (
    <Section title={texts.workers.title} aside={toWorkers}>
      <Facts>
        <Fact name={texts.workers.busy}>{formatNumber(counts.busy)}</Fact>
        <Fact name={texts.workers.idle}>{formatNumber(counts.idle + counts.active)}</Fact>
        <Fact name={texts.workers.offline}>{formatNumber(counts.offline)}</Fact>
        {counts.disabled > 0 && <Fact name={texts.workers.disabled}>{formatNumber(counts.disabled)}</Fact>}
      </Facts>
    </Section>
  );
}

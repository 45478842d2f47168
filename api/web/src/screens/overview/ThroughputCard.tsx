import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { throughputQuery } from "@/api/queries";
import type { Throughput } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { lazyPart } from "@/parts/lazyPart";
import { overviewTexts as texts } from "@/texts/overview";
import { Section } from "./Section";
import { ThroughputTable } from "./ThroughputTable";
import { hasWork, summary } from "./throughput";

const Chart = lazyPart(() => import("./ThroughputChart").then(({ ThroughputChart }) => ThroughputChart));

const CHART_HEIGHT = 180;

const periods = [
  { value: "24", label: texts.throughput.day },
  { value: "168", label: texts.throughput.week },
  { value: "720", label: texts.throughput.month },
];

export function ThroughputCard() {
  const [hours, setHours] = useState("24");
  const [asTable, setAsTable] = useState(false);
  const throughput = useQuery(throughputQuery(Number(hours)));
  const controls = (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={texts.throughput.period}
        data={periods}
        value={hours}
        onChange={setHours}
      />
      <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
        {asTable ? texts.throughput.showChart : texts.throughput.showTable}
      </Button>
    </Group>
  );
  return (
    <Section title={texts.throughput.title} aside={controls}>
      {throughput.isPending && <Skeleton height={CHART_HEIGHT + 24} />}
      {throughput.isError && !throughput.data && (
        <ErrorState error={throughput.error} retry={() => void throughput.refetch()} />
      )}
      {throughput.data && <ThroughputOf data={throughput.data} asTable={asTable} />}
    </Section>
  );
}

function ThroughputOf({ data, asTable }: { data: Throughput; asTable: boolean }) {
  if (!hasWork(data)) {
    return (
      <Text size="sm" c="dimmed">
        {texts.throughput.none}
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm">{summary(data)}</Text>
      {asTable ? (
        <ThroughputTable {...data} />
      ) : (
        <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
          <Chart {...data} height={CHART_HEIGHT} />
        </Suspense>
      )}
    </Stack>
  );
}

import "uplot/dist/uPlot.min.css";
import { Group, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import type { Throughput } from "@/api/types";
import { overviewTexts as texts } from "@/texts/overview";
import classes from "./ThroughputChart.module.css";
import { longLabel, shortLabel, summary } from "./throughput";

interface ThroughputChartProps extends Throughput {
  height: number;
}

/** Bars of what was done, with what failed on top. */
export function ThroughputChart({ height, ...data }: ThroughputChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light");
  const [pointed, setPointed] = useState<number | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page when its scheme changes
  useEffect(() => {
    if (!place.current) return;
    const chart = draw(place.current, data, height, setPointed);
    const watcher = new ResizeObserver(([entry]) => {
      if (entry) chart.setSize({ width: entry.contentRect.width, height });
    });
    watcher.observe(place.current);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [data.buckets, data.bucket_seconds, height, scheme]);

  const bucket = pointed === null ? undefined : data.buckets[pointed];
  return (
    <div>
      <div ref={place} role="img" aria-label={texts.throughput.chart(summary(data))} style={{ minHeight: height }} />
      <Group justify="space-between" gap="xs" mih={22}>
        <Group gap="md">
          <Text size="xs" className={classes.done}>
            {texts.throughput.done}
          </Text>
          <Text size="xs" className={classes.failed}>
            {texts.throughput.failed}
          </Text>
        </Group>
        <Text size="xs" c="dimmed" className="numbers" aria-hidden>
          {bucket &&
            texts.throughput.at(
              longLabel(bucket.start, data.bucket_seconds),
              texts.throughput.jobs(bucket.completed, bucket.failed),
            )}
        </Text>
      </Group>
    </div>
  );
}

function draw(place: HTMLElement, data: Throughput, height: number, onPoint: (index: number | null) => void): uPlot {
  const styles = getComputedStyle(place);
  const color = (name: string) => styles.getPropertyValue(name).trim();
  const { buckets, bucket_seconds } = data;
  const bars = uPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 });
  const axis = { stroke: color("--mantine-color-dimmed"), ticks: { show: false } };
  const last = buckets.length - 1;
  return new uPlot(
    {
      width: place.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { setScale: false } },
      // Places instead of times: a bar a bucket, whatever the clocks do in between.
      scales: {
        x: { time: false, range: () => [-0.5, last + 0.5] },
        y: { range: (_, __, most) => [0, Math.max(4, most)] },
      },
      axes: [
        {
          ...axis,
          size: 32,
          grid: { show: false },
          space: 60,
          incrs: [1, 2, 3, 4, 6, 12, 24],
          values: (_, places) =>
            places.map((index) => {
              const bucket = buckets[index];
              return bucket ? shortLabel(bucket.start, bucket_seconds) : "";
            }),
        },
        {
          ...axis,
          size: 40,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000],
          grid: { stroke: color("--mantine-color-default-border"), width: 1 },
        },
      ],
      series: [
        {},
        { fill: color("--tone-bad-fill"), width: 0, paths: bars, points: { show: false } },
        { fill: color("--tone-active-fill"), width: 0, paths: bars, points: { show: false } },
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    [
      buckets.map((_, index) => index),
      buckets.map(({ completed, failed }) => completed + failed),
      buckets.map(({ completed }) => completed),
    ],
    place,
  );
}

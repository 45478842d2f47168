import "uplot/dist/uPlot.min.css";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import type { GpuCourse } from "@/api/types";
import classes from "./Gpu.module.css";
import { courseText, momentText, spanText } from "./gpuWords";

interface GpuChartProps {
  course: GpuCourse;
  height: number;
}

/** The last minutes of a GPU: encoder utilization, memory and temperature. */
export function GpuChart({ course, height }: GpuChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme("light");
  const [pointed, setPointed] = useState<number | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page when its scheme changes
  useEffect(() => {
    if (!place.current) return;
    const drawn = draw(place.current, course, height, setPointed);
    chart.current = drawn;
    const watcher = new ResizeObserver(([entry]) => {
      if (entry) drawn.setSize({ width: entry.contentRect.width, height });
    });
    watcher.observe(place.current);
    return () => {
      watcher.disconnect();
      drawn.destroy();
      chart.current = null;
    };
  }, [height, scheme]);

  useEffect(() => chart.current?.setData(dataOf(course)), [course]);

  return (
    <div className={classes.chart}>
      <div ref={place} role="img" aria-label={courseText(course)} style={{ height }} />
      <div className={classes.moment} aria-hidden>
        {pointed === null ? spanText(course) : momentText(course, pointed)}
      </div>
    </div>
  );
}

function dataOf({ at, encoder, memory, temperature }: GpuCourse): uPlot.AlignedData {
  return [at, encoder, memory, temperature];
}

function draw(place: HTMLElement, course: GpuCourse, height: number, onPoint: (index: number | null) => void): uPlot {
  const styles = getComputedStyle(place);
  const color = (name: string) => styles.getPropertyValue(name).trim();
  const line = (stroke: string, dash?: number[]) => ({ stroke, dash, width: 1.5, points: { show: false } });
  const grid = { stroke: color("--mantine-color-default-border"), width: 1 };
  return new uPlot(
    {
      width: place.clientWidth,
      height,
      padding: [3, 0, 3, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { setScale: false } },
      // All three fit between 0 and 100: percents, and degrees that a GPU survives.
      scales: { x: { time: false }, y: { range: [0, 100] } },
      axes: [
        { show: false },
        { size: 0, gap: 0, splits: [0, 50, 100], values: () => [], ticks: { show: false }, grid },
      ],
      series: [
        {},
        { ...line(color("--tone-active-fill")), fill: color("--tone-active-back") },
        line(color("--tone-good-fill"), [7, 4]),
        line(color("--tone-warning-fill"), [2, 3]),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    dataOf(course),
    place,
  );
}

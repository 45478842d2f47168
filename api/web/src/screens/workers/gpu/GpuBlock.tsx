import { memo, type ReactNode, Suspense, useId, useMemo, useState } from "react";
import type { Gpu } from "@/api/types";
import { Bar } from "@/components/Bar";
import { TimeAgo } from "@/components/TimeAgo";
import { formatPercent } from "@/format/count";
import { asSentence, capital } from "@/format/sentence";
import { courseOf, memoryPercent } from "@/live/gpus";
import { lazyPart } from "@/parts/lazyPart";
import { workersTexts } from "@/texts/workers";
import classes from "./Gpu.module.css";
import { encoderText, memoryText, otherFacts, sessionsText, stateWords } from "./gpuWords";

const Chart = lazyPart(() => import("./GpuChart").then(({ GpuChart }) => GpuChart));

const texts = workersTexts.gpus;
const CHART_HEIGHT = 64;

interface GpuBlockProps {
  gpu: Gpu;
  /** With which it was told, as long as no sign came after it. */
  heartbeat: string | null;
  /** Whether its worker is there to tell. */
  isHeard: boolean;
  /** Whether history and encoders are shown at once. */
  isOpen: boolean;
}

/** A GPU of a worker. Renders only when this GPU changed. */
export const GpuBlock = memo(function GpuBlock({ gpu, heartbeat, isHeard, isOpen }: GpuBlockProps) {
  const id = useId();
  const { label, tone } = stateWords(gpu.state, isHeard);
  return (
    <li className={classes.gpu} aria-labelledby={`${id}-name ${id}-id`}>
      <div className={classes.head}>
        <h3 id={`${id}-name`} className={classes.name}>
          {gpu.name}
        </h3>
        <span className={classes.state} data-tone={tone}>
          {label}
        </span>
      </div>
      <div id={`${id}-id`} className={classes.id} title={gpu.id}>
        {gpu.id}
      </div>
      {isHeard && gpu.state !== "ready" && gpu.reason && <p className={classes.reason}>{asSentence(gpu.reason)}</p>}
      {isHeard && <Numbers gpu={gpu} />}
      {isHeard && <OtherFacts gpu={gpu} toldAt={gpu.live?.toldAt ?? heartbeat} />}
      <More gpu={gpu} heartbeat={heartbeat} isHeard={isHeard} isOpen={isOpen} />
    </li>
  );
});

/** What moves. Each has its place even while nothing is told, so that nothing jumps. */
function Numbers({ gpu }: { gpu: Gpu }) {
  const { encoder_percent, temperature_celsius } = gpu.sample ?? {};
  return (
    <dl className={classes.numbers}>
      <Value name={texts.encoder} line="encoder" title={texts.encoderHelp} percent={encoder_percent}>
        {encoder_percent == null ? null : formatPercent(encoder_percent)}
      </Value>
      <Value name={texts.memory} line="memory" percent={memoryPercent(gpu)}>
        {memoryText(gpu)}
      </Value>
      <Value name={texts.temperature} line="temperature">
        {temperature_celsius == null ? null : texts.degrees(temperature_celsius)}
      </Value>
      <Value name={texts.sessions} title={gpu.session_limit == null ? texts.sessionsNoLimitHelp : texts.sessionsHelp}>
        {sessionsText(gpu)}
      </Value>
    </dl>
  );
}

interface ValueProps {
  name: string;
  title?: string;
  /** Its line in the chart. */
  line?: "encoder" | "memory" | "temperature";
  percent?: number | null;
  children: ReactNode;
}

function Value({ name, title, line, percent, children }: ValueProps) {
  return (
    <div>
      <dt className={classes.line} data-line={line}>
        {name}
      </dt>
      <dd className="numbers" title={title}>
        {children ?? <span className={classes.untold}>{texts.noData}</span>}
        {percent != null && (
          <div aria-hidden className={classes.bar}>
            <Bar percent={percent} label={name} height={4} />
          </div>
        )}
      </dd>
    </div>
  );
}

function OtherFacts({ gpu, toldAt }: { gpu: Gpu; toldAt: string | null }) {
  const facts = otherFacts(gpu.sample);
  if (facts.length === 0) return null;
  return (
    <p className={classes.note}>
      {capital(facts.join(" · "))}
      {toldAt && (
        <>
          {" "}
          <span className={classes.told}>
            · {texts.updated} <TimeAgo time={toldAt} />
          </span>
        </>
      )}
    </p>
  );
}

/** The history and the encoders. A chart that nobody looks at is not drawn. */
function More({ gpu, heartbeat, isHeard, isOpen }: GpuBlockProps) {
  const [open, setOpen] = useState(isOpen);
  const course = useMemo(() => courseOf(gpu, heartbeat), [gpu, heartbeat]);
  const hasChart = isHeard && course.at.length > 0;
  return (
    <details className={classes.more} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{hasChart ? texts.historyAndEncoders : texts.encoders}</summary>
      {open && hasChart && (
        <Suspense fallback={<div className={classes.chart} style={{ height: CHART_HEIGHT }} />}>
          <Chart course={course} height={CHART_HEIGHT} />
        </Suspense>
      )}
      {gpu.encoders.length === 0 ? (
        <p className={classes.note}>{texts.noEncoders}</p>
      ) : (
        <ul className={classes.encoders} aria-label={texts.encodersLabel}>
          {gpu.encoders.map((encoder) => (
            <li key={encoder.name}>
              {encoderText(encoder)}
              {encoder.on_card && <span title={texts.allOnGpuHelp}> · {texts.allOnGpu}</span>}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

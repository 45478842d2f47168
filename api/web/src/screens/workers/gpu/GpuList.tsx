import type { Worker } from "@/api/types";
import { isOnline } from "@/format/workers";
import { workersTexts as texts } from "@/texts/workers";
import classes from "./Gpu.module.css";
import { GpuBlock } from "./GpuBlock";
import { gpuCounts } from "./gpuWords";

/** With more GPUs than this, history and encoders are closed at first. */
const FEW = 4;

export function GpuList({ worker }: { worker: Worker }) {
  const { gpus, last_heartbeat, status, name } = worker;
  const isHeard = isOnline(status);
  return (
    <section className={classes.list} aria-label={texts.gpus.label(name)}>
      {gpus.length > 1 && isHeard && <p className={classes.counts}>{gpuCounts(gpus)}</p>}
      <ul className={classes.gpus}>
        {gpus.map((gpu) => (
          <GpuBlock
            key={gpu.id}
            gpu={gpu}
            heartbeat={gpu.live ? null : (last_heartbeat ?? null)}
            isHeard={isHeard}
            isOpen={gpus.length <= FEW}
          />
        ))}
      </ul>
    </section>
  );
}

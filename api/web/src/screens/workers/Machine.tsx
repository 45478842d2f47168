import { ShieldAlert, ShieldCheck } from "lucide-react";
import type { Worker } from "@/api/types";
import { formatBytes } from "@/format/bytes";
import { workersTexts as texts } from "@/texts/workers";
import { type Capabilities, encoderName, layerName, type NamedGpu, type Sandbox } from "./capabilities";
import { GpuList } from "./gpu/GpuList";
import { NoGpu } from "./gpu/NoGpu";
import classes from "./WorkerCard.module.css";

/** What the machine of a worker can do. */
export function Machine({ capabilities, worker }: { capabilities: Capabilities; worker: Worker }) {
  const { cores, memoryBytes, encoders, ffmpeg, sandbox } = capabilities;
  const parts = [cores && texts.machine.cores(cores), memoryBytes && formatBytes(memoryBytes)].filter(Boolean);
  const gpuCount = worker.gpus.length + capabilities.gpus.length;
  const known = parts.length + encoders.length + gpuCount > 0 || sandbox !== null;
  if (!known) return <p className={classes.note}>{texts.machine.unknown}</p>;
  return (
    <div className={classes.machine}>
      <Gpus capabilities={capabilities} worker={worker} />
      <div className={classes.note}>{parts.length > 0 ? parts.join(", ") : texts.machine.unknownSize}</div>
      {encoders.length > 0 && (
        <ul className={classes.tags} aria-label={texts.machine.encoders}>
          {encoders.map((encoder) => (
            <li key={encoder} title={encoder}>
              {encoderName(encoder)}
            </li>
          ))}
        </ul>
      )}
      {sandbox && <SandboxLayers sandbox={sandbox} />}
      {ffmpeg.length > 0 && (
        <details className={classes.details}>
          <summary>{texts.machine.libraries}</summary>
          <div className={classes.note}>{ffmpeg.join(", ")}</div>
        </details>
      )}
    </div>
  );
}

function Gpus({ capabilities: { gpus, gpuMissing }, worker }: { capabilities: Capabilities; worker: Worker }) {
  if (worker.gpus.length > 0) return <GpuList worker={worker} />;
  if (gpus.length > 0 || worker.has_gpu) return <NamedGpus gpus={gpus} />;
  return gpuMissing.length > 0 ? <NoGpu reasons={gpuMissing} /> : null;
}

/** Of a worker that only reports the names of its GPUs. */
function NamedGpus({ gpus }: { gpus: readonly NamedGpu[] }) {
  const names = gpus.length > 0 ? gpus.map(({ name }) => name).join(", ") : texts.machine.unnamedGpu;
  return (
    <div>
      <strong>{texts.machine.gpu}</strong> {names}
    </div>
  );
}

/** The layers of the sandbox around encoders, since videos may be made by attackers. */
function SandboxLayers({ sandbox: { up, missing } }: { sandbox: Sandbox }) {
  const total = up.length + missing.length;
  const whole = missing.length === 0;
  const Icon = whole ? ShieldCheck : ShieldAlert;
  return (
    <details className={classes.details} data-tone={whole ? undefined : "warning"}>
      <summary>
        <Icon size={14} aria-hidden />{" "}
        {whole ? texts.sandbox.complete : texts.sandbox.incomplete(missing.length, total)}
      </summary>
      <ul className={classes.notes}>
        {missing.map(({ name, reason }) => (
          <li key={name}>{texts.sandbox.layerMissing(layerName(name), reason)}</li>
        ))}
        {up.map((name) => (
          <li key={name}>{texts.sandbox.layerEnforced(layerName(name))}</li>
        ))}
      </ul>
    </details>
  );
}

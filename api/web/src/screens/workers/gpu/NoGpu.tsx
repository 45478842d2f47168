import { workersTexts as texts } from "@/texts/workers";
import classes from "../WorkerCard.module.css";

const SHORT = 100;

/** Why a worker has no GPU. Nothing is wrong with that: its CPU does the work. */
export function NoGpu({ reasons }: { reasons: readonly string[] }) {
  const [reason = ""] = reasons;
  if (reasons.length === 1 && reason.length <= SHORT)
    return <p className={classes.note}>{texts.machine.noGpu(reason)}</p>;
  return (
    <details className={classes.details}>
      <summary>{texts.machine.noGpuReasons}</summary>
      <ul className={classes.notes}>
        {reasons.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}

import classes from "../WorkerCard.module.css";

const SHORT = 100;

/** Why a worker has no card. Nothing is wrong with that: the processor does the work. */
export function NoGpu({ reasons }: { reasons: readonly string[] }) {
  const [reason = ""] = reasons;
  if (reasons.length === 1 && reason.length <= SHORT) return <p className={classes.note}>No GPU: {reason}</p>;
  return (
    <details className={classes.details}>
      <summary>No GPU: why</summary>
      <ul className={classes.walls}>
        {reasons.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}

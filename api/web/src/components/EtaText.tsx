import type { Eta } from "@/api/types";
import { formatEta } from "@/format/eta";
import { useNow } from "@/format/now";

interface EtaTextProps {
  eta: Eta | null | undefined;
  /** The sentence that it stands in; the estimate alone if absent. */
  text?: (estimate: string) => string;
}

/** How long it still takes, as a range: "4–6 min", "about 20 s", "no estimate yet". */
export function EtaText({ eta, text = (estimate) => estimate }: EtaTextProps) {
  const now = useNow(5_000);
  return <span className="numbers">{text(formatEta(eta, now))}</span>;
}

import type { Eta } from "@/api/types";
import { formatEta } from "@/format/eta";
import { useNow } from "@/format/now";

/** How long it still takes, as a range: "4–6 min", "about 20 s", "not known yet". */
export function EtaText({ eta }: { eta: Eta | null | undefined }) {
  const now = useNow(5_000);
  return <span className="numbers">{formatEta(eta, now)}</span>;
}

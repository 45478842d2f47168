import type { DeliveryDetail, Endpoint } from "@/api/types";
import { Notice } from "@/components/Notice";
import { asSentence } from "@/format/sentence";
import { attemptWords } from "../deliveries/deliveryWords";

/** What the receiver said to a test. */
export function TestOutcome({ endpoint, outcome }: { endpoint: Endpoint; outcome: DeliveryDetail | undefined }) {
  return (
    <div role="status">
      {outcome && (
        <div style={{ marginBlockStart: 10 }}>
          <Outcome endpoint={endpoint} outcome={outcome} />
        </div>
      )}
    </div>
  );
}

function Outcome({ endpoint, outcome: { delivery, attempts } }: { endpoint: Endpoint; outcome: DeliveryDetail }) {
  const taken = delivery.status === "delivered";
  const last = attempts.at(-1);
  return (
    <Notice tone={taken ? "good" : "bad"} title={taken ? `${endpoint.name} took the test` : "The test was not taken"}>
      {last ? asSentence(attemptWords(last)) : "Nothing was sent."}
    </Notice>
  );
}

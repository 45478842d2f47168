import type { DeliveryDetail } from "@/api/types";
import { Notice } from "@/components/Notice";
import { asSentence } from "@/format/sentence";
import { alertsTexts as texts } from "@/texts/alerts";
import { attemptWords } from "../deliveries/deliveryWords";

/** What the receiver answered to a test. */
export function TestOutcome({ outcome }: { outcome: DeliveryDetail | undefined }) {
  return (
    <div role="status">
      {outcome && (
        <div style={{ marginBlockStart: 10 }}>
          <Outcome outcome={outcome} />
        </div>
      )}
    </div>
  );
}

function Outcome({ outcome: { delivery, attempts } }: { outcome: DeliveryDetail }) {
  const taken = delivery.status === "delivered";
  const last = attempts.at(-1);
  return (
    <Notice tone={taken ? "good" : "bad"} title={taken ? texts.test.delivered : texts.test.failed}>
      {last ? asSentence(attemptWords(last)) : texts.test.nothingSent}
    </Notice>
  );
}

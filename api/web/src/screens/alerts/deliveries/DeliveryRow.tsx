import { RotateCw } from "lucide-react";
import { memo, useState } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Delivery } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { Countdown } from "@/components/Countdown";
import { ToneBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";
import { asSentence } from "@/format/sentence";
import { alertsTexts } from "@/texts/alerts";
import classes from "../Alerts.module.css";
import { DeliveryDetail } from "./DeliveryDetail";
import { deliveryStatusWords, lastAnswer } from "./deliveryWords";

const texts = alertsTexts.delivery;

export const DeliveryRow = memo(function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const [opened, setOpened] = useState(false);
  const replay = useAction({
    run: () => body(api.POST("/api/alerts/deliveries/{id}/replay", { params: { path: { id: delivery.id } } })),
    done: () => texts.sendingAgain(endpoint_name),
    failed: texts.notSentAgain,
    touches: [keys.alerts.deliveries],
  });
  const { endpoint_name, title: what, status, attempts } = delivery;
  const why = status === "delivered" ? null : delivery.last_error;
  const answer = why ? null : lastAnswer(delivery);
  return (
    <li className={classes.row} data-row={delivery.id}>
      <div className={classes.head}>
        <div className={classes.about}>
          <div className={classes.line}>
            <span className={classes.name}>{what}</span>
            <ToneBadge {...deliveryStatusWords[status]} />
          </div>
          <div className={classes.note}>
            {texts.to(endpoint_name)} <TimeAgo time={delivery.created_at} /> · {texts.attempts(attempts)}
            {answer && ` · ${answer}`}
            {status === "pending" && delivery.next_attempt_at && attempts > 0 && (
              <>
                {" "}
                · {texts.nextAttempt} <Countdown until={delivery.next_attempt_at} />
              </>
            )}
            {delivery.replay_of && ` · ${texts.resent}`}
          </div>
          {why && <div className={classes.note}>{asSentence(why)}</div>}
        </div>
        {status !== "pending" && (
          <BusyButton
            size="xs"
            variant="default"
            leftSection={<RotateCw size={14} aria-hidden />}
            busy={replay.isPending}
            aria-label={texts.sendAgainTo(endpoint_name, what)}
            onClick={() => replay.mutate(undefined)}
          >
            {texts.sendAgain}
          </BusyButton>
        )}
      </div>
      <details className={classes.opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
        <summary>
          {texts.details}
          <span className="visually-hidden">{texts.detailsOf(endpoint_name, what)}</span>
        </summary>
        {opened && <DeliveryDetail id={delivery.id} />}
      </details>
    </li>
  );
});

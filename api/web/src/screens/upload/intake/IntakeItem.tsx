import { Button } from "@mantine/core";
import { RotateCw, X } from "lucide-react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Intake } from "@/api/types";
import { Bar } from "@/components/Bar";
import { Countdown } from "@/components/Countdown";
import { TextLink } from "@/components/links";
import { ToneBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";
import { asSentence } from "@/format/sentence";
import { commonTexts } from "@/texts/common";
import { uploadTexts } from "@/texts/upload";
import classes from "./Intake.module.css";
import { intakeKindWords, intakeName, intakePercent, intakeStateWords, receivedWords } from "./intakeWords";

export function IntakeItem({ item }: { item: Intake }) {
  const name = intakeName(item);
  const percent = intakePercent(item);
  const { state, video_id: videoId } = item;
  return (
    <li className={classes.item} data-row={item.id}>
      <div className={classes.head}>
        <div className={classes.about}>
          <div className={classes.line}>
            {videoId ? (
              <TextLink to="/library/$id" params={{ id: videoId }} fw={600} size="sm" className="any-break">
                {name}
              </TextLink>
            ) : (
              <span className={classes.name}>{name}</span>
            )}
            <ToneBadge {...intakeStateWords[state]} />
          </div>
          <div className={classes.note}>
            {item.place}, {intakeKindWords[item.kind]}, <TimeAgo time={item.created_at} />
          </div>
        </div>
        <Actions item={item} name={name} />
      </div>
      {state === "fetching" && (
        <>
          {percent !== null && <Bar percent={percent} label={uploadTexts.imports.progressOf(name)} height={8} />}
          <div className={classes.note}>{receivedWords(item)}</div>
        </>
      )}
      {state === "done" && item.deduplicated && <div className={classes.note}>{uploadTexts.alreadyUploaded}</div>}
      {(state === "failed" || state === "waiting") && item.error && (
        <div className={state === "failed" ? classes.error : classes.note}>
          {asSentence(item.error)}
          {state === "waiting" && item.due_at && (
            <>
              {" "}
              {commonTexts.retryingIn} <Countdown until={item.due_at} />.
            </>
          )}
        </div>
      )}
    </li>
  );
}

function Actions({ item: { id, state }, name }: { item: Intake; name: string }) {
  const retry = useAction({
    run: () => body(api.POST("/api/intake/{id}/retry", { params: { path: { id } } })),
    failed: uploadTexts.imports.retryFailed,
    touches: [keys.intake],
  });
  const cancel = useAction({
    run: () => api.DELETE("/api/intake/{id}", { params: { path: { id } } }),
    failed: uploadTexts.imports.cancelFailed,
    touches: [keys.intake],
  });
  if (state === "waiting" || state === "fetching") {
    return (
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<X size={14} aria-hidden />}
        aria-label={uploadTexts.actionOn(uploadTexts.cancel, name)}
        onClick={() => cancel.mutate(undefined)}
      >
        {uploadTexts.cancel}
      </Button>
    );
  }
  if (state === "done") return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<RotateCw size={14} aria-hidden />}
      aria-label={uploadTexts.actionOn(uploadTexts.retry, name)}
      onClick={() => retry.mutate(undefined)}
    >
      {uploadTexts.retry}
    </Button>
  );
}

import { Code, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { deliveryQuery } from "@/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { asSentence } from "@/format/sentence";
import { formatTime } from "@/format/time";
import { alertsTexts } from "@/texts/alerts";
import classes from "../Alerts.module.css";
import { attemptWords } from "./deliveryWords";

const texts = alertsTexts.delivery;

/** Each attempt, and the message itself. */
export function DeliveryDetail({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useQuery(deliveryQuery(id));
  if (isPending) return <RowsSkeleton rows={1} height={60} />;
  if (!data) return <ErrorState error={error} title={texts.detailsError} retry={() => refetch()} />;
  return (
    <Stack gap="xs" mt={4}>
      <ol className={classes.list}>
        {data.attempts.map((attempt) => (
          <li key={attempt.number} className={classes.note}>
            {texts.attempt(formatTime(attempt.at), asSentence(attemptWords(attempt)))}
          </li>
        ))}
      </ol>
      <Code block className={classes.payload} tabIndex={0} aria-label={texts.message}>
        {JSON.stringify(data.payload, null, 2)}
      </Code>
    </Stack>
  );
}

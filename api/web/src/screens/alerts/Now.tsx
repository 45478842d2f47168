import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "@/api/queries";
import type { AlertStatus } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { Notice } from "@/components/Notice";
import { RowsSkeleton } from "@/components/Skeletons";
import { TimeAgo } from "@/components/TimeAgo";
import { count } from "@/format/count";
import { Section } from "../settings/Section";
import classes from "./Alerts.module.css";
import { alertLabel, alertMeaning, keptBackWords } from "./alertWords";

const MOST_INCIDENTS = 5;

/** What fires at this moment, and what is watched at all. */
export function Now() {
  const alerts = useQuery(alertsQuery());
  const firing = alerts.data?.items.filter(({ firing }) => firing) ?? [];
  return (
    <Section id="now" title="Now">
      {alerts.isPending && <RowsSkeleton rows={1} />}
      {alerts.isError && !alerts.data && (
        <ErrorState error={alerts.error} title="The alerts could not be loaded" retry={() => alerts.refetch()} />
      )}
      {alerts.data && (
        <Stack gap="sm">
          <div role="status" className="visually-hidden">
            {firing.length > 0 && `${count(firing.length, "alert")}: ${firing.map(spoken).join(", ")}`}
          </div>
          <Stack gap="xs">
            {firing.length === 0 && <Notice tone="good">Nothing needs a look.</Notice>}
            {firing.map((alert) => (
              <Firing key={alert.alert_type} alert={alert} />
            ))}
          </Stack>
          <Watched alerts={alerts.data.items} />
        </Stack>
      )}
    </Section>
  );
}

const spoken = ({ alert_type }: AlertStatus) => alertLabel(alert_type);

function Firing({ alert }: { alert: AlertStatus }) {
  return (
    <Notice tone="bad" title={alertLabel(alert.alert_type)}>
      {alert.incidents.length === 0 && <span>{alertMeaning(alert.alert_type)}</span>}
      {alert.incidents.slice(0, MOST_INCIDENTS).map(({ subject, text, since }) => (
        <span key={subject}>
          {text} Since <TimeAgo time={since} />.
        </span>
      ))}
      {alert.incidents.length > MOST_INCIDENTS && (
        <span>And {count(alert.incidents.length - MOST_INCIDENTS, "more")}.</span>
      )}
      {alert.suppressed > 0 && <span>{keptBackWords(alert.suppressed)}</span>}
    </Notice>
  );
}

function Watched({ alerts }: { alerts: readonly AlertStatus[] }) {
  return (
    <details className={classes.watched}>
      <summary>What is watched</summary>
      <ul className={classes.list}>
        {alerts.map((alert) => (
          <li key={alert.alert_type} className={classes.kind}>
            <span className={classes.name}>{alertLabel(alert.alert_type)}</span>
            <span>{alertMeaning(alert.alert_type)}</span>
            <span className={classes.note}>
              <LastTime alert={alert} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function LastTime({ alert: { last_at, total, suppressed } }: { alert: AlertStatus }) {
  if (!last_at) return "never yet";
  return (
    <>
      {count(total, "time")}, last <TimeAgo time={last_at} />
      {suppressed > 0 && ` · ${keptBackWords(suppressed)}`}
    </>
  );
}

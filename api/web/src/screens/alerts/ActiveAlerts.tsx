import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "@/api/queries";
import type { AlertStatus, Alerts, Thresholds } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { Notice } from "@/components/Notice";
import { RowsSkeleton } from "@/components/Skeletons";
import { TimeAgo } from "@/components/TimeAgo";
import { alertsTexts as texts } from "@/texts/alerts";
import { Section } from "../settings/Section";
import classes from "./Alerts.module.css";
import { alertLabel, alertMeaning } from "./alertWords";

const MOST_INCIDENTS = 5;

/** The active alerts, and all types of alerts. */
export function ActiveAlerts() {
  const alerts = useQuery(alertsQuery());
  const firing = alerts.data?.items.filter(({ firing }) => firing) ?? [];
  return (
    <Section id="now" title={texts.active.title}>
      {alerts.isPending && <RowsSkeleton rows={1} />}
      {alerts.isError && !alerts.data && (
        <ErrorState error={alerts.error} title={texts.active.loadError} retry={() => alerts.refetch()} />
      )}
      {alerts.data && (
        <Stack gap="sm">
          <div role="status" className="visually-hidden">
            {firing.length > 0 && texts.active.spoken(firing.length, firing.map(spoken).join(", "))}
          </div>
          <Stack gap="xs">
            {firing.length === 0 && <Notice tone="good">{texts.active.none}</Notice>}
            {firing.map((alert) => (
              <Firing key={alert.alert_type} alert={alert} thresholds={alerts.data.thresholds} />
            ))}
          </Stack>
          <AlertTypes alerts={alerts.data} />
        </Stack>
      )}
    </Section>
  );
}

const spoken = ({ alert_type }: AlertStatus) => alertLabel(alert_type);

function Firing({ alert, thresholds }: { alert: AlertStatus; thresholds: Thresholds }) {
  return (
    <Notice tone="bad" title={alertLabel(alert.alert_type)}>
      {alert.incidents.length === 0 && <span>{alertMeaning(alert.alert_type, thresholds)}</span>}
      {alert.incidents.slice(0, MOST_INCIDENTS).map(({ subject, text, since }) => (
        <span key={subject}>
          {text} {texts.active.started} <TimeAgo time={since} />.
        </span>
      ))}
      {alert.incidents.length > MOST_INCIDENTS && (
        <span>{texts.active.more(alert.incidents.length - MOST_INCIDENTS)}</span>
      )}
      {alert.suppressed > 0 && <span>{texts.active.suppressed(alert.suppressed)}</span>}
    </Notice>
  );
}

function AlertTypes({ alerts: { items, thresholds } }: { alerts: Alerts }) {
  return (
    <details className={classes.watched}>
      <summary>{texts.typesTitle}</summary>
      <ul className={classes.list}>
        {items.map((alert) => (
          <li key={alert.alert_type} className={classes.kind}>
            <span className={classes.name}>{alertLabel(alert.alert_type)}</span>
            <span>{alertMeaning(alert.alert_type, thresholds)}</span>
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
  if (!last_at) return texts.neverRaised;
  return (
    <>
      {texts.raised(total)} <TimeAgo time={last_at} />
      {suppressed > 0 && ` · ${texts.active.suppressed(suppressed)}`}
    </>
  );
}

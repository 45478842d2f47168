import { useQuery } from "@tanstack/react-query";
import { BellRing } from "lucide-react";
import { alertsQuery } from "@/api/queries";
import { ButtonLink } from "@/components/links";
import { Notice } from "@/components/Notice";
import { overviewTexts as texts } from "@/texts/overview";
import { alertLabel } from "../alerts/alertWords";

/** What fires now, apart from GPUs: those have a notice of their own. */
export function FiringAlerts() {
  const { data: firing = [] } = useQuery({
    ...alertsQuery(),
    select: ({ items }) => items.filter((alert) => alert.firing).map(({ alert_type }) => alert_type),
  });
  const told = firing.filter((type) => type !== "gpu_quarantined");
  if (told.length === 0) return null;
  return (
    <Notice tone="bad" title={texts.alerts.title(told.length)} icon={<BellRing size={20} aria-hidden />}>
      <span>{told.map(alertLabel).join(", ")}</span>
      <ButtonLink to="/alerts" size="xs" variant="default">
        {texts.alerts.view}
      </ButtonLink>
    </Notice>
  );
}

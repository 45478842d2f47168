import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "@/api/queries";
import type { AlertType } from "@/api/types";

/** What an endpoint receives by default, as the server says; nothing until it has said so. */
export function useDefaultAlerts(): readonly AlertType[] {
  const { data } = useQuery(alertsQuery());
  return data?.items.filter(({ is_default }) => is_default).map(({ alert_type }) => alert_type) ?? [];
}

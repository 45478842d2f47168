import { Group, Select } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { deliveriesQuery } from "@/api/queries";
import type { DeliveryStatus, Endpoint } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { useKeepFocus } from "@/components/useKeepFocus";
import type { AlertsSearch } from "@/search";
import { alertsTexts } from "@/texts/alerts";
import { Section } from "../../settings/Section";
import classes from "../Alerts.module.css";
import { DeliveryRow } from "./DeliveryRow";
import { deliveryStatusWords } from "./deliveryWords";

const texts = alertsTexts.deliveries;
const route = getRouteApi("/shell/alerts");

/** What was sent, newest first. */
export function Deliveries({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery({ ...deliveriesQuery(search), placeholderData: keepPreviousData });
  const deliveries = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const holder = useKeepFocus<HTMLUListElement>(deliveries);
  const filtered = search.endpoint !== undefined || search.status !== undefined;
  const change = (part: AlertsSearch) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true, resetScroll: false });
  return (
    <Section id="deliveries" title={texts.title} description={texts.description}>
      {(filtered || deliveries.length > 0) && <Filters endpoints={endpoints} search={search} onChange={change} />}
      {list.isPending && <RowsSkeleton rows={3} />}
      {list.isError && !list.data && (
        <ErrorState error={list.error} title={texts.loadError} retry={() => list.refetch()} />
      )}
      {list.data && deliveries.length === 0 && (
        <EmptyState title={filtered ? texts.noMatch : texts.none}>
          {filtered ? texts.noMatchText : texts.noneText}
        </EmptyState>
      )}
      <ul className={classes.list} ref={holder}>
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Group justify="center" mt="md">
          <BusyButton variant="default" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {texts.loadOlder}
          </BusyButton>
        </Group>
      )}
    </Section>
  );
}

interface FiltersProps {
  endpoints: readonly Endpoint[];
  search: AlertsSearch;
  onChange: (change: AlertsSearch) => void;
}

function Filters({ endpoints, search, onChange }: FiltersProps) {
  const named = endpoints.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Group gap="sm" mb="md">
      <Select
        aria-label={texts.endpoint}
        placeholder={texts.anyEndpoint}
        flex="0 1 240px"
        data={named}
        value={search.endpoint ?? null}
        onChange={(endpoint) => onChange({ endpoint: endpoint ?? undefined })}
        clearable
        clearButtonProps={{ "aria-label": texts.anyEndpoint }}
      />
      <Select
        aria-label={texts.status}
        placeholder={texts.anyStatus}
        flex="0 1 180px"
        data={Object.entries(deliveryStatusWords).map(([value, { label }]) => ({ value, label }))}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: (status as DeliveryStatus | null) ?? undefined })}
        clearable
        clearButtonProps={{ "aria-label": texts.anyStatus }}
      />
    </Group>
  );
}

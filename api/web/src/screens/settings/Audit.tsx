import { Button, Group, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { auditQuery, workersQuery } from "@/api/queries";
import { BusyButton } from "@/components/BusyButton";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import type { SettingsSearch } from "@/search";
import { settingsTexts } from "@/texts/settings";
import { AuditFilters } from "./AuditFilters";
import { AuditRow } from "./AuditRow";
import { auditFilter } from "./auditFilter";
import { Section } from "./Section";
import classes from "./Settings.module.css";

const texts = settingsTexts.audit;
const route = getRouteApi("/shell/settings");

/** What happened, newest first. The server filters, so that what is old is found too. */
export function Audit() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const audit = useInfiniteQuery({ ...auditQuery(auditFilter(search)), placeholderData: keepPreviousData });
  const workers = useQuery(workersQuery());
  const names = useMemo(
    () => new Map(workers.data?.items.map(({ id, name }) => [id, name] as const) ?? []),
    [workers.data],
  );
  const events = useMemo(() => audit.data?.pages.flatMap(({ items }) => items) ?? [], [audit.data]);
  const filtered = search.who !== undefined || search.kind !== undefined || search.search !== undefined;
  const change = (part: SettingsSearch) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true, resetScroll: false });

  return (
    <Section id="audit" title={texts.title} description={texts.description}>
      <AuditFilters search={search} onChange={change} />
      {audit.isPending && <RowsSkeleton rows={5} height={28} />}
      {audit.isError && <ErrorState error={audit.error} title={texts.loadError} retry={() => audit.refetch()} />}
      {audit.data && (
        <>
          <Group gap="sm" mb="xs" mih={30}>
            <Text size="xs" c="dimmed" role="status">
              {countText(events.length, audit.hasNextPage, filtered)}
            </Text>
            {filtered && events.length === 0 && (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => change({ who: undefined, kind: undefined, search: undefined })}
              >
                {texts.clearFilters}
              </Button>
            )}
          </Group>
          <ol className={classes.audit}>
            {events.map((event) => (
              <AuditRow
                key={event.id}
                event={event}
                workerName={event.worker_id ? names.get(event.worker_id) : undefined}
              />
            ))}
          </ol>
          {audit.hasNextPage && (
            <Group justify="center" mt="md">
              <BusyButton variant="default" busy={audit.isFetchingNextPage} onClick={() => audit.fetchNextPage()}>
                {texts.loadOlder}
              </BusyButton>
            </Group>
          )}
        </>
      )}
    </Section>
  );
}

function countText(shown: number, more: boolean, filtered: boolean): string {
  if (shown === 0) return filtered ? texts.noMatch : texts.none;
  const entries = filtered ? texts.matching(shown) : texts.entries(shown);
  return more ? texts.newest(entries) : entries;
}

import { Group, SegmentedControl, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { auditQuery, workersQuery } from "@/api/queries";
import type { FarmEvent } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { ErrorState } from "@/components/ErrorState";
import { SearchField } from "@/components/SearchField";
import { RowsSkeleton } from "@/components/Skeletons";
import { count, formatNumber } from "@/format/count";
import { capital } from "@/format/sentence";
import { AuditRow } from "./AuditRow";
import { isByPerson, isProgress, matches } from "./auditWords";
import { Section } from "./Section";
import classes from "./Settings.module.css";

type Which = "everything" | "without_progress" | "people";

const isMeant: Record<Which, (event: FarmEvent) => boolean> = {
  everything: () => true,
  without_progress: (event) => !isProgress(event),
  people: ({ actor }) => isByPerson(actor),
};

/** What happened, newest first. The filter works on what is loaded. */
export function Audit() {
  const audit = useInfiniteQuery(auditQuery());
  const workers = useQuery(workersQuery());
  const [filter, setFilter] = useState("");
  const [which, setWhich] = useState<Which>("without_progress");
  const names = useMemo(
    () => new Map(workers.data?.items.map(({ id, name }) => [id, name] as const) ?? []),
    [workers.data],
  );
  const events = useMemo(() => audit.data?.pages.flatMap(({ items }) => items) ?? [], [audit.data]);
  const shown = useMemo(
    () =>
      events.filter(
        (event) =>
          isMeant[which](event) && matches(event, event.worker_id ? names.get(event.worker_id) : undefined, filter),
      ),
    [events, which, names, filter],
  );

  return (
    <Section id="audit" title="Audit log" description="Every change, newest first, and who made it.">
      {audit.isPending && <RowsSkeleton rows={5} height={28} />}
      {audit.isError && (
        <ErrorState error={audit.error} title="The audit log could not be loaded" retry={() => audit.refetch()} />
      )}
      {audit.data && (
        <>
          <Group gap="sm" mb="sm">
            <SearchField
              label="Filter the audit log"
              placeholder="Filter by word, name or kind"
              flex="1 1 200px"
              maw={360}
              value={filter}
              onChange={setFilter}
            />
            <SegmentedControl
              aria-label="Which entries"
              value={which}
              onChange={setWhich}
              data={[
                { value: "without_progress", label: "Important" },
                { value: "everything", label: "Everything" },
                { value: "people", label: "By people" },
              ]}
            />
          </Group>
          <Text size="xs" c="dimmed" role="status" mb="xs">
            {countText(shown.length, events.length, audit.hasNextPage)}
          </Text>
          <ol className={classes.audit}>
            {shown.map((event) => (
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
                Load older ones
              </BusyButton>
            </Group>
          )}
        </>
      )}
    </Section>
  );
}

function countText(shown: number, loaded: number, more: boolean): string {
  const all = more ? `the newest ${count(loaded, "entry", "entries")}` : count(loaded, "entry", "entries");
  return shown === loaded ? capital(all) : `${formatNumber(shown)} of ${all}`;
}

import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { queuesQuery, workersQuery } from "@/api/queries";
import type { Depth } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { formatNumber } from "@/format/count";
import type { QueueSearch, QueueTab } from "@/search";
import { ActiveJobs } from "./ActiveJobs";
import { totalDepth } from "./depth";
import { EndedJobs } from "./EndedJobs";
import { Notices } from "./Notices";
import { PauseButton } from "./PauseButton";
import classes from "./QueueScreen.module.css";
import { QueueSettings } from "./QueueSettings";
import { Summary } from "./Summary";
import { Toolbar } from "./Toolbar";

const route = getRouteApi("/shell/queue");

const tabs: { value: QueueTab; label: string; countOf?: (depth: Depth) => number }[] = [
  { value: "active", label: "Active", countOf: ({ running, pending }) => running + pending },
  { value: "waiting", label: "Waiting", countOf: ({ pending }) => pending },
  { value: "failed", label: "Failed", countOf: ({ errors }) => errors },
  { value: "done", label: "Done", countOf: ({ completed }) => completed },
  { value: "cancelled", label: "Cancelled" },
];

export function QueueScreen() {
  const { tab = "active", search, worker } = route.useSearch();
  const navigate = route.useNavigate();
  const queues = useQuery(queuesQuery());
  const workers = useQuery(workersQuery());
  const known = queues.data?.queues;
  const depth = known && totalDepth(known);

  const change = (part: Partial<QueueSearch>, replace: boolean) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace, resetScroll: false });
  const filter = { search, worker };
  const clear = () => {
    change({ search: undefined, worker: undefined }, true);
    document.querySelector<HTMLElement>("[data-page-search]")?.focus();
  };

  return (
    <>
      <PageHeader
        title="Queue"
        actions={
          known && (
            <>
              <PauseButton queues={known} />
              <QueueSettings queues={known} />
            </>
          )
        }
      >
        {depth && <Summary depth={depth} />}
      </PageHeader>
      {queues.isError && (
        <ErrorState error={queues.error} title="The queue could not be loaded" retry={() => queues.refetch()} />
      )}
      {known && <Notices queues={known} workers={workers.data?.items} />}
      <Tabs
        value={tab}
        onChange={(value) => change({ tab: value === "active" ? undefined : (value as QueueTab) }, false)}
        activateTabWithKeyboard={false}
        keepMounted={false}
      >
        <Tabs.List mb="md" className={classes.tabs} aria-label="Jobs">
          {tabs.map(({ value, label, countOf }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
              {depth && countOf && <span className={classes.count}>{formatNumber(countOf(depth))}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Toolbar filter={filter} onChange={(part) => change(part, true)} />
        {tabs.map(({ value }) => (
          <Tabs.Panel key={value} value={value}>
            {value === "active" || value === "waiting" ? (
              <ActiveJobs filter={filter} withRunning={value === "active"} depth={depth} onClear={clear} />
            ) : (
              <EndedJobs kind={value} filter={filter} onClear={clear} />
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

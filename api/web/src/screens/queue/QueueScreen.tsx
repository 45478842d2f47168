import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { queuesQuery, workersQuery } from "@/api/queries";
import type { Depth } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { formatNumber } from "@/format/count";
import type { QueueSearch, QueueTab, STUCK_AFTER } from "@/search";
import { queueTexts as texts } from "@/texts/queue";
import { ActiveJobs } from "./ActiveJobs";
import { EndedJobs } from "./EndedJobs";
import type { JobFilter } from "./jobFilter";
import { Notices } from "./Notices";
import { PauseButton } from "./PauseButton";
import classes from "./QueueScreen.module.css";
import { QueueSettings } from "./QueueSettings";
import { StuckJobs } from "./StuckJobs";
import { Summary, totalDepth } from "./Summary";
import { Toolbar } from "./Toolbar";
import { TransferMenu } from "./transfer/TransferMenu";

const USUAL_OLDER: (typeof STUCK_AFTER)[number] = 600;

const route = getRouteApi("/shell/queue");

const tabs: { value: QueueTab; label: string; countOf?: (depth: Depth) => number }[] = [
  { value: "active", label: texts.tabs.active, countOf: ({ running, pending }) => running + pending },
  { value: "waiting", label: texts.tabs.waiting, countOf: ({ pending }) => pending },
  { value: "stuck", label: texts.tabs.stuck },
  { value: "failed", label: texts.tabs.failed, countOf: ({ errors }) => errors },
  { value: "done", label: texts.tabs.done, countOf: ({ completed }) => completed },
  { value: "cancelled", label: texts.tabs.cancelled },
];

export function QueueScreen() {
  const { tab = "active", search, worker, error, older = USUAL_OLDER } = route.useSearch();
  const navigate = route.useNavigate();
  const queues = useQuery(queuesQuery());
  const workers = useQuery(workersQuery());
  const known = queues.data?.queues;
  const depth = known && totalDepth(known);

  const change = (part: Partial<QueueSearch>, replace: boolean) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace, resetScroll: false });
  const withErrors = tab === "failed";
  // What failed jobs alone have would hide everything elsewhere.
  const filter: JobFilter = { search, worker, ...(withErrors && error && { error_class: error }) };
  const clear = () => {
    change({ search: undefined, worker: undefined, error: undefined }, true);
    document.querySelector<HTMLElement>("[data-page-search]")?.focus();
  };

  return (
    <>
      <PageHeader
        title={texts.title}
        actions={
          known && (
            <>
              <PauseButton queues={known} />
              <QueueSettings queues={known} />
              <TransferMenu />
            </>
          )
        }
      >
        {depth && <Summary depth={depth} />}
      </PageHeader>
      {queues.isError && <ErrorState error={queues.error} title={texts.loadError} retry={() => queues.refetch()} />}
      {known && <Notices queues={known} workers={workers.data?.items} />}
      <Tabs
        value={tab}
        onChange={(value) => change({ tab: value === "active" ? undefined : (value as QueueTab) }, false)}
        activateTabWithKeyboard={false}
        keepMounted={false}
      >
        <Tabs.List mb="md" className={classes.tabs} aria-label={texts.tabs.label}>
          {tabs.map(({ value, label, countOf }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
              {depth && countOf && <span className={classes.count}>{formatNumber(countOf(depth))}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tab !== "stuck" && <Toolbar filter={filter} withErrors={withErrors} onChange={(part) => change(part, true)} />}
        {tabs.map(({ value }) => (
          <Tabs.Panel key={value} value={value}>
            <Jobs tab={value} filter={filter} depth={depth} older={older} onChange={change} onClear={clear} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

interface JobsProps {
  tab: QueueTab;
  filter: JobFilter;
  depth: Depth | undefined;
  older: NonNullable<QueueSearch["older"]>;
  onChange: (change: Partial<QueueSearch>, replace: boolean) => void;
  onClear: () => void;
}

function Jobs({ tab, filter, depth, older, onChange, onClear }: JobsProps) {
  switch (tab) {
    case "active":
    case "waiting":
      return <ActiveJobs filter={filter} withRunning={tab === "active"} depth={depth} onClear={onClear} />;
    case "stuck":
      return <StuckJobs older={older} onOlder={(seconds) => onChange({ older: seconds }, true)} />;
    default:
      return <EndedJobs kind={tab} filter={filter} onClear={onClear} />;
  }
}

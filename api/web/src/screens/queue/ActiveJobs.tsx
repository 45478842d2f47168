import { Group, Text, Title } from "@mantine/core";
import type { Depth } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { ButtonLink } from "@/components/links";
import { RowsSkeleton } from "@/components/Skeletons";
import { useKeepFocus } from "@/components/useKeepFocus";
import { useSelection } from "@/components/useSelection";
import { count, formatNumber } from "@/format/count";
import { JobList } from "./JobList";
import { isFiltered, type JobFilter } from "./jobFilter";
import { NothingFound } from "./NothingFound";
import { SelectionBar } from "./SelectionBar";
import { useActiveJobs } from "./useActiveJobs";
import { useJobActions } from "./useJobActions";
import { WaitingActions } from "./WaitingActions";

interface ActiveJobsProps {
  filter: JobFilter;
  /** Without it only those that wait are listed. */
  withRunning: boolean;
  depth: Depth | undefined;
  onClear: () => void;
}

/** What runs, and behind it what waits, in the order in which it will be taken. */
export function ActiveJobs({ filter, withRunning, depth, onClear }: ActiveJobsProps) {
  const { running, waiting, all, total, ...state } = useActiveJobs(filter, withRunning);
  const actions = useJobActions();
  const selection = useSelection(all, JSON.stringify(filter));
  const holder = useKeepFocus<HTMLDivElement>(all);
  const filtered = isFiltered(filter);

  if (state.error) return <ErrorState error={state.error} title="The jobs could not be loaded" retry={state.retry} />;
  if (state.isPending) return <RowsSkeleton />;
  return (
    <div ref={holder}>
      {all.length === 0 && (filtered ? <NothingFound onClear={onClear} /> : <Idle withRunning={withRunning} />)}
      {!withRunning && all.length > 0 && <WaitingActions filter={filter} />}
      {all.length > 0 && <SelectionBar selection={selection} listed={all.length} can={["priority", "cancel"]} />}
      {running.length > 0 && (
        <>
          <SectionTitle>Running</SectionTitle>
          <JobList jobs={running} label="Running jobs" actions={actions} selection={selection} />
          {state.moreRunning && (
            <More shown={running.length} loading={state.isLoadingMore} onMore={state.moreRunning}>
              running jobs are shown
            </More>
          )}
        </>
      )}
      {waiting.length > 0 && (
        <>
          {withRunning && <SectionTitle>Waiting</SectionTitle>}
          <JobList
            jobs={waiting}
            label="Waiting jobs, in the order in which they will be taken"
            actions={actions}
            waiting={depth?.pending ?? total}
            selection={selection}
          />
          {state.moreWaiting && (
            <More shown={waiting.length} of={total} loading={state.isLoadingMore} onMore={state.moreWaiting}>
              waiting jobs are shown
            </More>
          )}
          {!state.moreWaiting && total > waiting.length && (
            <Text size="sm" c="dimmed" ta="center" py="md">
              {count(total - waiting.length, "more job waits", "more jobs wait")} behind these. Search by title to find
              one.
            </Text>
          )}
        </>
      )}
    </div>
  );
}

function SectionTitle({ children }: { children: string }) {
  return (
    <Title order={2} size="h5" mt="md" mb={4}>
      {children}
    </Title>
  );
}

interface MoreProps {
  shown: number;
  of?: number;
  loading: boolean;
  onMore: () => void;
  children: string;
}

function More({ shown, of, loading, onMore, children }: MoreProps) {
  return (
    <Group justify="center" gap="sm" py="md">
      <Text size="sm" c="dimmed">
        {formatNumber(shown)}
        {of !== undefined && ` of ${formatNumber(of)}`} {children}
      </Text>
      <BusyButton variant="default" size="xs" busy={loading} onClick={onMore}>
        Show more
      </BusyButton>
    </Group>
  );
}

function Idle({ withRunning }: { withRunning: boolean }) {
  return (
    <EmptyState
      title={withRunning ? "Nothing runs or waits" : "Nothing waits"}
      action={<ButtonLink to="/upload">Upload a video</ButtonLink>}
    >
      Videos that you upload appear here until they are ready.
    </EmptyState>
  );
}

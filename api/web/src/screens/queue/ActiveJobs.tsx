import { Group, Text, Title } from "@mantine/core";
import type { Depth } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { ButtonLink } from "@/components/links";
import { RowsSkeleton } from "@/components/Skeletons";
import { useKeepFocus } from "@/components/useKeepFocus";
import { useSelection } from "@/components/useSelection";
import { queueTexts as texts } from "@/texts/queue";
import { JobList, NothingFound } from "./JobList";
import { isFiltered, type JobFilter } from "./jobFilter";
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

/** What runs, and behind it what waits, in queue order. */
export function ActiveJobs({ filter, withRunning, depth, onClear }: ActiveJobsProps) {
  const { running, waiting, all, total, ...state } = useActiveJobs(filter, withRunning);
  const actions = useJobActions();
  const selection = useSelection(all, JSON.stringify(filter));
  const holder = useKeepFocus<HTMLDivElement>(all);
  const filtered = isFiltered(filter);

  if (state.error) return <ErrorState error={state.error} title={texts.lists.loadError} retry={state.retry} />;
  if (state.isPending) return <RowsSkeleton />;
  return (
    <div ref={holder}>
      {all.length === 0 && (filtered ? <NothingFound onClear={onClear} /> : <Idle withRunning={withRunning} />)}
      {!withRunning && all.length > 0 && <WaitingActions filter={filter} />}
      {all.length > 0 && <SelectionBar selection={selection} listed={all.length} can={["priority", "cancel"]} />}
      {running.length > 0 && (
        <>
          <SectionTitle>{texts.lists.running}</SectionTitle>
          <JobList jobs={running} label={texts.lists.runningLabel} actions={actions} selection={selection} />
          {state.moreRunning && (
            <More loading={state.isLoadingMore} onMore={state.moreRunning}>
              {texts.lists.runningShown(running.length)}
            </More>
          )}
        </>
      )}
      {waiting.length > 0 && (
        <>
          {withRunning && <SectionTitle>{texts.lists.waiting}</SectionTitle>}
          <JobList
            jobs={waiting}
            label={texts.lists.waitingLabel}
            actions={actions}
            waiting={depth?.pending ?? total}
            selection={selection}
          />
          {state.moreWaiting && (
            <More loading={state.isLoadingMore} onMore={state.moreWaiting}>
              {texts.lists.waitingShown(waiting.length, total)}
            </More>
          )}
          {!state.moreWaiting && total > waiting.length && (
            <Text size="sm" c="dimmed" ta="center" py="md">
              {texts.lists.moreWaiting(total - waiting.length)}
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
  loading: boolean;
  onMore: () => void;
  children: string;
}

function More({ loading, onMore, children }: MoreProps) {
  return (
    <Group justify="center" gap="sm" py="md">
      <Text size="sm" c="dimmed">
        {children}
      </Text>
      <BusyButton variant="default" size="xs" busy={loading} onClick={onMore}>
        {texts.lists.showMore}
      </BusyButton>
    </Group>
  );
}

function Idle({ withRunning }: { withRunning: boolean }) {
  return (
    <EmptyState
      title={withRunning ? texts.empty.active : texts.empty.waiting}
      action={<ButtonLink to="/upload">{texts.empty.upload}</ButtonLink>}
    >
      {texts.empty.activeText}
    </EmptyState>
  );
}

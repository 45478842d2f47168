import { SimpleGrid, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { overviewQuery } from "@/api/queries";
import type { Overview } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { CardsSkeleton, RowsSkeleton } from "@/components/Skeletons";
import { Failures } from "./Failures";
import { Notices } from "./Notices";
import { QueueCard } from "./QueueCard";
import { RunningJobs } from "./RunningJobs";
import { StorageCard } from "./StorageCard";
import { ThroughputCard } from "./ThroughputCard";
import { VideoCounts } from "./VideoCounts";
import { WorkersCard } from "./WorkersCard";

export function OverviewScreen() {
  const overview = useQuery(overviewQuery());
  return (
    <>
      <PageHeader title="Overview" />
      {overview.isPending && <OverviewSkeleton />}
      {overview.isError && !overview.data && (
        <ErrorState
          title="The overview could not be loaded"
          error={overview.error}
          retry={() => void overview.refetch()}
        />
      )}
      {overview.data && <OverviewOf {...overview.data} />}
    </>
  );
}

function OverviewOf({ health, running, recent_failures, queue_eta }: Overview) {
  const { videos, jobs, workers, oldest_pending_at } = health.processing;
  return (
    <Stack gap="lg">
      <Notices degraded={health.degraded} workers={workers} waiting={jobs.pending} />
      <VideoCounts counts={videos} />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <QueueCard depth={jobs} oldestWaitingAt={oldest_pending_at ?? null} emptyIn={queue_eta} />
        <WorkersCard counts={workers} />
        <StorageCard storage={health.storage} />
      </SimpleGrid>
      <RunningJobs jobs={running} total={jobs.running} />
      <Failures jobs={recent_failures} total={jobs.errors} />
      <ThroughputCard />
    </Stack>
  );
}

function OverviewSkeleton() {
  return (
    <Stack gap="lg">
      <CardsSkeleton cards={4} height={96} />
      <CardsSkeleton cards={3} height={170} />
      <RowsSkeleton rows={4} height={56} />
    </Stack>
  );
}

import { SimpleGrid, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Film } from "lucide-react";
import { overviewQuery } from "@/api/queries";
import type { Overview } from "@/api/types";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { ButtonLink } from "@/components/links";
import { PageHeader } from "@/components/PageHeader";
import { CardsSkeleton, RowsSkeleton } from "@/components/Skeletons";
import { overviewTexts as texts } from "@/texts/overview";
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
      <PageHeader title={texts.title} />
      {overview.isPending && <OverviewSkeleton />}
      {overview.isError && !overview.data && (
        <ErrorState title={texts.loadError} error={overview.error} retry={() => void overview.refetch()} />
      )}
      {overview.data && <OverviewOf {...overview.data} />}
    </>
  );
}

function OverviewOf({ health, running, recent_failures, queue_eta }: Overview) {
  const { videos, jobs, workers, oldest_pending_at } = health.processing;
  const hasVideos = videos.pending + videos.processing + videos.ready + videos.failed > 0;
  return (
    <Stack gap="lg">
      <Notices degraded={health.degraded} workers={workers} waiting={jobs.pending} />
      <VideoCounts counts={videos} />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <QueueCard depth={jobs} oldestWaitingAt={oldest_pending_at ?? null} emptyIn={queue_eta} />
        <WorkersCard counts={workers} />
        <StorageCard storage={health.storage} />
      </SimpleGrid>
      {hasVideos ? (
        <>
          <RunningJobs jobs={running} total={jobs.running} />
          <Failures jobs={recent_failures} total={jobs.errors} />
          <ThroughputCard />
        </>
      ) : (
        <NoVideosYet />
      )}
    </Stack>
  );
}

function NoVideosYet() {
  return (
    <EmptyState
      title={texts.noVideos.title}
      icon={Film}
      action={<ButtonLink to="/upload">{texts.noVideos.upload}</ButtonLink>}
    >
      {texts.noVideos.text}
    </EmptyState>
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

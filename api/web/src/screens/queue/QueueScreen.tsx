import { Table } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { JobsFilter } from "@/api/keys";
import { jobsQuery } from "@/api/queries";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { EtaText } from "@/components/EtaText";
import { TextLink } from "@/components/links";
import { PageHeader } from "@/components/PageHeader";
import { RowsSkeleton } from "@/components/Skeletons";
import { StatusBadge } from "@/components/StatusBadge";
import { WaitingText } from "@/components/WaitingText";
import type { QueueTab } from "@/search";

const route = getRouteApi("/shell/queue");

const filters: Record<QueueTab, JobsFilter> = {
  active: { active: true },
  waiting: { status: "pending" },
  failed: { status: "failed" },
  done: { status: "completed" },
};

export function QueueScreen() {
  const { tab = "active", search, worker } = route.useSearch();
  const jobs = useInfiniteQuery(jobsQuery({ ...filters[tab], search, worker }));
  const items = jobs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <PageHeader title="Queue" />
      {jobs.isPending && <RowsSkeleton />}
      {jobs.isError && <ErrorState error={jobs.error} retry={() => jobs.refetch()} />}
      {jobs.data && items.length === 0 && <EmptyState title="No jobs here" />}
      {items.length > 0 && (
        <Table.ScrollContainer minWidth={500}>
          <Table verticalSpacing="sm">
            <Table.Tbody>
              {items.map((job) => (
                <Table.Tr key={job.id}>
                  <Table.Td>{job.number}</Table.Td>
                  <Table.Td>
                    <TextLink to="/library/$id" params={{ id: job.video_id }}>
                      {job.video_title}
                    </TextLink>
                  </Table.Td>
                  <Table.Td>
                    <StatusBadge job={job.state} />
                  </Table.Td>
                  <Table.Td>{job.waiting ? <WaitingText waiting={job.waiting} /> : <EtaText eta={job.eta} />}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}

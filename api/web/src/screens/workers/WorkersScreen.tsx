import { Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { workersQuery } from "@/api/queries";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { RowsSkeleton } from "@/components/Skeletons";
import { StatusBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";

export function WorkersScreen() {
  const workers = useQuery(workersQuery());
  return (
    <>
      <PageHeader title="Workers" />
      {workers.isPending && <RowsSkeleton />}
      {workers.isError && <ErrorState error={workers.error} retry={() => workers.refetch()} />}
      {workers.data?.items.length === 0 && <EmptyState title="No workers yet" />}
      <Table verticalSpacing="sm">
        <Table.Tbody>
          {workers.data?.items.map((worker) => (
            <Table.Tr key={worker.id}>
              <Table.Td>{worker.name}</Table.Td>
              <Table.Td>
                <StatusBadge worker={worker.status} draining={worker.draining} />
              </Table.Td>
              <Table.Td>{worker.last_heartbeat ? <TimeAgo time={worker.last_heartbeat} /> : "never heard of"}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

import { List } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { overviewQuery } from "@/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { RowsSkeleton } from "@/components/Skeletons";

export function OverviewScreen() {
  const overview = useQuery(overviewQuery());
  return (
    <>
      <PageHeader title="Overview" />
      {overview.isPending && <RowsSkeleton />}
      {overview.isError && <ErrorState error={overview.error} retry={() => overview.refetch()} />}
      <List>
        {overview.data?.running.map((job) => (
          <List.Item key={job.id}>{job.video_title}</List.Item>
        ))}
      </List>
    </>
  );
}

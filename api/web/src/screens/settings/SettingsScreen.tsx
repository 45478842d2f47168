import { List } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { tokensQuery, versionQuery } from "@/api/queries";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { RowsSkeleton } from "@/components/Skeletons";

export function SettingsScreen() {
  const tokens = useQuery(tokensQuery());
  const version = useQuery(versionQuery());
  return (
    <>
      <PageHeader title="Settings">{version.data && `Framefarm ${version.data.version}`}</PageHeader>
      {tokens.isPending && <RowsSkeleton />}
      {tokens.isError && <ErrorState error={tokens.error} retry={() => tokens.refetch()} />}
      {tokens.data?.items.length === 0 && <EmptyState title="No tokens yet" />}
      <List>
        {tokens.data?.items.map(({ id, name, scope }) => (
          <List.Item key={id}>
            {name} ({scope})
          </List.Item>
        ))}
      </List>
    </>
  );
}

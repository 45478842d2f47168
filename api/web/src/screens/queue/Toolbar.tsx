import { Group, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { workersQuery } from "@/api/queries";
import { SearchField } from "@/components/SearchField";
import type { QueueSearch } from "@/search";

interface ToolbarProps {
  filter: Pick<QueueSearch, "search" | "worker">;
  onChange: (change: Partial<QueueSearch>) => void;
}

/** Search by title and filter by worker; both live in the address. */
export function Toolbar({ filter, onChange }: ToolbarProps) {
  return (
    <Group gap="sm" mb="sm">
      <SearchField
        label="Search by title"
        flex="1 1 200px"
        maw={360}
        value={filter.search ?? ""}
        onChange={(search) => onChange({ search: search || undefined })}
      />
      <WorkerFilter worker={filter.worker} onChange={(worker) => onChange({ worker })} />
    </Group>
  );
}

interface WorkerFilterProps {
  worker: string | undefined;
  onChange: (worker: string | undefined) => void;
}

function WorkerFilter({ worker, onChange }: WorkerFilterProps) {
  const { data } = useQuery(workersQuery());
  const known = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const gone = worker !== undefined && !known.some(({ value }) => value === worker);
  return (
    <Select
      aria-label="Worker"
      placeholder="Any worker"
      flex="0 1 220px"
      data={gone ? [...known, { value: worker, label: data ? "A worker that is gone" : "…" }] : known}
      value={worker ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Any worker" }}
      nothingFoundMessage="No such worker"
    />
  );
}

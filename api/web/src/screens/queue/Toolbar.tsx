import { CloseButton, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { workersQuery } from "@/api/queries";
import type { QueueSearch } from "@/search";

const TYPING_MS = 250;

interface ToolbarProps {
  filter: Pick<QueueSearch, "search" | "worker">;
  onChange: (change: Partial<QueueSearch>) => void;
}

/** Search by title and filter by worker; both live in the address. */
export function Toolbar({ filter, onChange }: ToolbarProps) {
  return (
    <Group gap="sm" mb="sm">
      <SearchField value={filter.search ?? ""} onChange={(search) => onChange({ search: search || undefined })} />
      <WorkerFilter worker={filter.worker} onChange={(worker) => onChange({ worker })} />
    </Group>
  );
}

function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const tell = useDebouncedCallback((text: string) => {
    told.current = text;
    onChange(text);
  }, TYPING_MS);
  // The address may change by other means: back, a link, "clear the filters".
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  const change = (text: string) => {
    setTyped(text);
    tell(text);
  };
  return (
    <TextInput
      data-page-search
      type="search"
      aria-label="Search by title"
      placeholder="Search by title"
      flex="1 1 200px"
      maw={360}
      leftSection={<Search size={16} aria-hidden />}
      rightSection={typed && <CloseButton size="sm" aria-label="Clear the search" onClick={() => change("")} />}
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
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

import { Group, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { workersQuery } from "@/api/queries";
import type { ErrorClass } from "@/api/types";
import { SearchField } from "@/components/SearchField";
import { errorClassWords } from "@/format/errors";
import type { QueueSearch } from "@/search";
import { queueTexts as texts } from "@/texts/queue";
import type { JobFilter } from "./jobFilter";

interface ToolbarProps {
  filter: JobFilter;
  /** Where jobs may have failed. */
  withErrors: boolean;
  onChange: (change: Partial<QueueSearch>) => void;
}

/** Search by title, filter by worker and by what went wrong; all of it lives in the address. */
export function Toolbar({ filter, withErrors, onChange }: ToolbarProps) {
  return (
    <Group gap="sm" mb="sm">
      <SearchField
        label={texts.filters.search}
        flex="1 1 200px"
        maw={360}
        value={filter.search ?? ""}
        onChange={(search) => onChange({ search: search || undefined })}
      />
      <WorkerFilter worker={filter.worker} onChange={(worker) => onChange({ worker })} />
      {withErrors && (
        <Select
          aria-label={texts.filters.error}
          placeholder={texts.filters.anyError}
          flex="0 1 220px"
          data={Object.entries(errorClassWords).map(([value, label]) => ({ value, label }))}
          value={filter.error_class ?? null}
          onChange={(error) => onChange({ error: (error as ErrorClass | null) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": texts.filters.anyError }}
        />
      )}
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
      aria-label={texts.filters.worker}
      placeholder={texts.filters.anyWorker}
      flex="0 1 220px"
      data={
        gone
          ? [...known, { value: worker, label: data ? texts.filters.removedWorker : texts.filters.loadingWorker }]
          : known
      }
      value={worker ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ "aria-label": texts.filters.anyWorker }}
      nothingFoundMessage={texts.filters.noSuchWorker}
    />
  );
}

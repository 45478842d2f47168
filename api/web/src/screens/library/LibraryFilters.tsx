import { CloseButton, Group, NativeSelect, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LayoutGrid, List } from "lucide-react";
import { memo, useEffect, useState } from "react";
import { healthQuery } from "@/api/queries";
import type { VideoStatus } from "@/api/types";
import { CollectionPicker } from "@/components/CollectionPicker";
import { SearchField } from "@/components/SearchField";
import { formatNumber } from "@/format/count";
import { videoStatusWords } from "@/format/words";
import type { LibrarySearch } from "@/search";
import classes from "./LibraryFilters.module.css";

const statuses: VideoStatus[] = ["pending", "processing", "ready", "failed"];

interface LibraryFiltersProps {
  value: LibrarySearch;
  onChange: (change: LibrarySearch) => void;
}

export const LibraryFilters = memo(function LibraryFilters({ value, onChange }: LibraryFiltersProps) {
  const { data } = useQuery(healthQuery());
  const counts = data?.processing.videos;
  return (
    <Group gap="sm" mb="md" className={classes.filters}>
      <SearchField
        label="Search in titles"
        className={classes.search}
        value={value.search ?? ""}
        onChange={(search) => onChange({ search: search || undefined })}
      />
      <NativeSelect
        aria-label="Status"
        value={value.status ?? ""}
        onChange={(event) => onChange({ status: (event.currentTarget.value || undefined) as VideoStatus | undefined })}
        data={[
          { value: "", label: "Any status" },
          ...statuses.map((status) => ({
            value: status,
            label: `${videoStatusWords[status].label}${counts ? ` (${formatNumber(counts[status])})` : ""}`,
          })),
        ]}
      />
      <CollectionField
        value={value.collection ?? ""}
        onChange={(collection) => onChange({ collection: collection || undefined })}
      />
      <SegmentedControl
        aria-label="View"
        value={value.view ?? "table"}
        onChange={(view) => onChange({ view: view === "grid" ? "grid" : undefined })}
        data={[
          { value: "table", label: <ViewLabel icon={List} text="Table" /> },
          { value: "grid", label: <ViewLabel icon={LayoutGrid} text="Grid" /> },
        ]}
      />
    </Group>
  );
});

function ViewLabel({ icon: Icon, text }: { icon: typeof List; text: string }) {
  return (
    <span className={classes.view}>
      <Icon size={16} aria-hidden />
      {text}
    </span>
  );
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** Counts when a name is chosen, or typed and left or confirmed with Enter. */
function CollectionField({ value, onChange }: FieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = (next: string) => {
    if (next.trim() !== value) onChange(next.trim());
  };
  const change = (next: string) => {
    setText(next);
    if (next === "") commit("");
  };
  return (
    <CollectionPicker
      className={classes.collection}
      aria-label="Collection"
      placeholder="Any collection"
      value={text}
      onChange={change}
      onOptionSubmit={commit}
      onBlur={() => commit(text)}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit(event.currentTarget.value);
      }}
      rightSection={text !== "" && <CloseButton size="sm" aria-label="Any collection" onClick={() => change("")} />}
    />
  );
}

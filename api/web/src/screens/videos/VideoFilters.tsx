import { CloseButton, Group, NativeSelect, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LayoutGrid, List } from "lucide-react";
import { memo, useEffect, useState } from "react";
import { healthQuery } from "@/api/queries";
import type { VideoStatus } from "@/api/types";
import { CollectionPicker } from "@/components/CollectionPicker";
import { SearchField } from "@/components/SearchField";
import { videoStatusWords } from "@/format/words";
import type { VideosSearch } from "@/search";
import { videosTexts } from "@/texts/videos";
import classes from "./VideoFilters.module.css";

const texts = videosTexts.filters;
const statuses: VideoStatus[] = ["pending", "processing", "ready", "failed"];

interface VideoFiltersProps {
  value: VideosSearch;
  onChange: (change: VideosSearch) => void;
}

export const VideoFilters = memo(function VideoFilters({ value, onChange }: VideoFiltersProps) {
  const { data } = useQuery(healthQuery());
  const counts = data?.processing.videos;
  return (
    <Group gap="sm" mb="md" className={classes.filters}>
      <SearchField
        label={texts.search}
        className={classes.search}
        value={value.search ?? ""}
        onChange={(search) => onChange({ search: search || undefined })}
      />
      <NativeSelect
        aria-label={texts.status}
        value={value.status ?? ""}
        onChange={(event) => onChange({ status: (event.currentTarget.value || undefined) as VideoStatus | undefined })}
        data={[
          { value: "", label: texts.anyStatus },
          ...statuses.map((status) => ({
            value: status,
            label: counts
              ? texts.statusWithCount(videoStatusWords[status].label, counts[status])
              : videoStatusWords[status].label,
          })),
        ]}
      />
      <CollectionField
        value={value.collection ?? ""}
        onChange={(collection) => onChange({ collection: collection || undefined })}
      />
      <SegmentedControl
        aria-label={texts.view}
        value={value.view ?? "table"}
        onChange={(view) => onChange({ view: view === "grid" ? "grid" : undefined })}
        data={[
          { value: "table", label: <ViewLabel icon={List} text={texts.table} /> },
          { value: "grid", label: <ViewLabel icon={LayoutGrid} text={texts.grid} /> },
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
      aria-label={texts.collection}
      placeholder={texts.anyCollection}
      value={text}
      onChange={change}
      onOptionSubmit={commit}
      onBlur={() => commit(text)}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit(event.currentTarget.value);
      }}
      rightSection={
        text !== "" && <CloseButton size="sm" aria-label={texts.clearCollection} onClick={() => change("")} />
      }
    />
  );
}

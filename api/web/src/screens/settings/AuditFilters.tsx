import { Group, SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { tokensQuery, workersQuery } from "@/api/queries";
import { SearchField } from "@/components/SearchField";
import { eventKinds, isEventKind } from "@/format/events";
import type { SettingsSearch } from "@/search";
import { settingsTexts } from "@/texts/settings";
import { PEOPLE } from "./auditFilter";
import { actorWords } from "./auditWords";

const texts = settingsTexts.audit;

interface AuditFiltersProps {
  search: SettingsSearch;
  onChange: (change: SettingsSearch) => void;
}

/** By person, by kind and by word; all of it lives in the address. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  return (
    <Group gap="sm" mb="sm">
      <SearchField
        label={texts.search}
        placeholder={texts.searchHint}
        flex="1 1 200px"
        maw={360}
        value={search.search ?? ""}
        onChange={(text) => onChange({ search: text || undefined })}
      />
      <WhoFilter who={search.who} onChange={(who) => onChange({ who })} />
      <Select
        aria-label={texts.event}
        placeholder={texts.anyEvent}
        flex="0 1 220px"
        data={eventKinds}
        value={search.kind ?? null}
        onChange={(kind) => onChange({ kind: kind && isEventKind(kind) ? kind : undefined })}
        searchable
        clearable
        clearButtonProps={{ "aria-label": texts.anyEvent }}
        nothingFoundMessage={texts.noSuchEvent}
      />
      <SegmentedControl
        aria-label={texts.entriesShown}
        value={search.everything ? "everything" : "important"}
        onChange={(value) => onChange({ everything: value === "everything" || undefined })}
        data={[
          { value: "important", label: texts.important },
          { value: "everything", label: texts.everything },
        ]}
      />
    </Group>
  );
}

function WhoFilter({ who, onChange }: { who: string | undefined; onChange: (who: string | undefined) => void }) {
  const tokens = useQuery(tokensQuery());
  const workers = useQuery(workersQuery());
  const actors = new Set([
    "admin",
    "anonymous",
    ...(tokens.data?.items.map(({ name }) => `token:${name}`) ?? []),
    "farm",
    ...(workers.data?.items.map(({ name }) => `worker:${name}`) ?? []),
    // One that is gone stays in the address, and in the log.
    ...(who && who !== PEOPLE ? [who] : []),
  ]);
  actors.delete(PEOPLE);
  return (
    <Select
      aria-label={texts.actor}
      placeholder={texts.anyActor}
      flex="0 1 190px"
      data={[
        { value: PEOPLE, label: texts.allPeople },
        ...[...actors].map((actor) => ({ value: actor, label: actorWords(actor) })),
      ]}
      value={who ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ "aria-label": texts.anyActor }}
      nothingFoundMessage={texts.noSuchActor}
    />
  );
}

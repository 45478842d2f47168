import { Button, Group, NativeSelect, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Collection } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { HIGHEST_PRIORITY, isPriority, LOWEST_PRIORITY } from "../queue/priority";
import { type CollectionValues, daysProblem, MOST_DAYS, type SourceRule, valuesOf } from "./collectionValues";
import { LadderEditor } from "./LadderEditor";
import { ladderProblem } from "./ladder";

const LONGEST_NAME = 100;

const sourceRules: { value: SourceRule; label: string }[] = [
  { value: "farm", label: "As the farm does it" },
  { value: "keep", label: "Keep them" },
  { value: "delete_after_ready", label: "Remove when the video is ready" },
  { value: "days", label: "Remove some days after that" },
];

interface CollectionFormProps {
  collection: Collection | undefined;
  saving: boolean;
  error: unknown;
  onSave: (values: CollectionValues) => void;
  onCancel: () => void;
}

export function CollectionForm({ collection, saving, error, onSave, onCancel }: CollectionFormProps) {
  const form = useForm<CollectionValues>({
    mode: "controlled",
    initialValues: valuesOf(collection),
    validate: {
      name: (name) => (name.trim() === "" ? "Give it a name" : null),
      rungs: (rungs, { ownLadder }) => (ownLadder ? ladderProblem(rungs) : null),
      priority: (priority) => (isPriority(priority) ? null : `From ${LOWEST_PRIORITY} to ${HIGHEST_PRIORITY}`),
      sourceDays: (days, { source }) => (source === "days" ? daysProblem(days, 1) : null),
      completedDays: (days) => (days === "" ? null : daysProblem(days, 0)),
    },
  });
  const { ownLadder, rungs, source } = form.values;
  return (
    <form onSubmit={form.onSubmit(onSave)} noValidate>
      <Stack>
        {!collection && (
          <TextInput
            {...form.getInputProps("name")}
            data-autofocus
            label="Name"
            maxLength={LONGEST_NAME}
            autoComplete="off"
          />
        )}
        <Switch
          {...form.getInputProps("ownLadder", { type: "checkbox" })}
          label="Qualities of its own"
          description="For videos that come in from now on. Otherwise they get those of the farm."
        />
        {ownLadder && <LadderEditor rungs={rungs} onChange={(rungs) => form.setFieldValue("rungs", rungs)} />}
        <NumberInput
          {...form.getInputProps("priority")}
          label="Priority"
          description="For jobs whose uploader names none. Jobs with a higher number are taken first; 0 is normal."
          min={LOWEST_PRIORITY}
          max={HIGHEST_PRIORITY}
          step={10}
          allowDecimal={false}
          maw={260}
        />
        <NativeSelect {...form.getInputProps("source")} label="Original files" data={sourceRules} />
        {source === "days" && (
          <NumberInput
            {...form.getInputProps("sourceDays")}
            label="Days until the original is removed"
            min={1}
            max={MOST_DAYS}
            allowDecimal={false}
            allowNegative={false}
            maw={260}
          />
        )}
        <NumberInput
          {...form.getInputProps("completedDays")}
          label="Days until finished jobs leave the history"
          description="Empty is as the farm does it."
          placeholder="As the farm does it"
          min={0}
          max={MOST_DAYS}
          allowDecimal={false}
          allowNegative={false}
          maw={260}
        />
        {error != null && <ErrorState error={error} title="The collection was not saved" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Close
          </Button>
          <Button type="submit" loading={saving}>
            {collection ? "Save" : "Make the collection"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

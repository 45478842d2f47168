import { Button, Group, NativeSelect, NumberInput, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Collection } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { collectionsTexts } from "@/texts/collections";
import { HIGHEST_PRIORITY, isPriority, LOWEST_PRIORITY } from "../queue/priority";
import { type CollectionValues, daysProblem, MOST_DAYS, type SourceRule, valuesOf } from "./collectionValues";
import { LadderEditor } from "./LadderEditor";
import { ladderProblem } from "./ladder";

const texts = collectionsTexts.form;
const LONGEST_NAME = 100;

const sourceRules: { value: SourceRule; label: string }[] = [
  { value: "farm", label: texts.sourcesDefault },
  { value: "keep", label: texts.sourcesKeep },
  { value: "delete_after_ready", label: texts.sourcesDelete },
  { value: "days", label: texts.sourcesDeleteLater },
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
      name: (name) => (name.trim() === "" ? texts.nameMissing : null),
      rungs: (rungs, { ownLadder }) => (ownLadder ? ladderProblem(rungs) : null),
      priority: (priority) => (isPriority(priority) ? null : texts.priorityRange(LOWEST_PRIORITY, HIGHEST_PRIORITY)),
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
            label={texts.name}
            maxLength={LONGEST_NAME}
            autoComplete="off"
          />
        )}
        <Switch
          {...form.getInputProps("ownLadder", { type: "checkbox" })}
          label={texts.customQualities}
          description={texts.customQualitiesHelp}
        />
        {ownLadder && <LadderEditor rungs={rungs} onChange={(rungs) => form.setFieldValue("rungs", rungs)} />}
        <NumberInput
          {...form.getInputProps("priority")}
          label={texts.priority}
          description={texts.priorityHelp}
          min={LOWEST_PRIORITY}
          max={HIGHEST_PRIORITY}
          step={10}
          allowDecimal={false}
          maw={260}
        />
        <NativeSelect {...form.getInputProps("source")} label={texts.sources} data={sourceRules} />
        {source === "days" && (
          <NumberInput
            {...form.getInputProps("sourceDays")}
            label={texts.sourceDays}
            min={1}
            max={MOST_DAYS}
            allowDecimal={false}
            allowNegative={false}
            maw={260}
          />
        )}
        <NumberInput
          {...form.getInputProps("completedDays")}
          label={texts.jobDays}
          description={texts.jobDaysHelp}
          placeholder={texts.farmDefault}
          min={0}
          max={MOST_DAYS}
          allowDecimal={false}
          allowNegative={false}
          maw={260}
        />
        {error != null && <ErrorState error={error} title={texts.notSaved} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={saving}>
            {collection ? texts.save : texts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

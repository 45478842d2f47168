import { Button, Group, NumberInput, Stack } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useState } from "react";
import { queueTexts as texts } from "@/texts/queue";
import { HIGHEST_PRIORITY, isPriority, LOWEST_PRIORITY } from "./priority";

interface Asked {
  title: string;
  start: number;
  onChosen: (priority: number) => void;
}

/** Asks for a priority that has no name. */
export function openPriorityDialog({ title, start, onChosen }: Asked): void {
  const id = modals.open({
    title,
    children: (
      <PriorityForm
        start={start}
        onCancel={() => modals.close(id)}
        onChosen={(priority) => {
          modals.close(id);
          onChosen(priority);
        }}
      />
    ),
  });
}

interface PriorityFormProps {
  start: number;
  onCancel: () => void;
  onChosen: (priority: number) => void;
}

function PriorityForm({ start, onCancel, onChosen }: PriorityFormProps) {
  const [value, setValue] = useState<number | string>(start);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isPriority(value)) onChosen(value);
      }}
    >
      <Stack>
        <NumberInput
          data-autofocus
          label={texts.priorityDialog.priority}
          description={texts.priorityDialog.help(LOWEST_PRIORITY, HIGHEST_PRIORITY)}
          value={value}
          onChange={setValue}
          min={LOWEST_PRIORITY}
          max={HIGHEST_PRIORITY}
          step={10}
          allowDecimal={false}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {texts.priorityDialog.cancel}
          </Button>
          <Button type="submit" disabled={!isPriority(value)}>
            {texts.priorityDialog.set}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import {
  ActionIcon,
  Button,
  NumberInput,
  Popover,
  Radio,
  SegmentedControl,
  Stack,
  Title,
  Tooltip,
} from "@mantine/core";
import { Settings2 } from "lucide-react";
import { useState } from "react";
import { api, body } from "@/api/client";
import { useAction } from "@/api/mutations";
import type { Queue, QueueType, RetryMode } from "@/api/types";
import { queueTypeWords } from "@/format/words";
import { queueTexts } from "@/texts/queue";
import { queueKeys } from "./useJobActions";

const texts = queueTexts.settings;
const HIGHEST_LIMIT = 10_000;

/** The switches of a queue that are seldom touched. */
export function QueueSettings({ queues }: { queues: readonly Queue[] }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={320}
      shadow="md"
      trapFocus
      returnFocus
      withRoles
    >
      <Popover.Target>
        <Tooltip label={texts.title} disabled={opened}>
          <ActionIcon variant="default" size={36} aria-label={texts.title} onClick={() => setOpened(!opened)}>
            <Settings2 size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.title}>
        {opened && <SettingsOf queues={queues} onDone={() => setOpened(false)} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function SettingsOf({ queues, onDone }: { queues: readonly Queue[]; onDone: () => void }) {
  const used = queues.filter((queue) => queue.queue_type === "transcode" || hasJobs(queue));
  const [kind, setKind] = useState<QueueType>("transcode");
  const queue = used.find(({ queue_type }) => queue_type === kind);
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {texts.title}
      </Title>
      {used.length > 1 && (
        <SegmentedControl
          aria-label={texts.queue}
          value={kind}
          onChange={setKind}
          data={used.map(({ queue_type }) => ({ value: queue_type, label: queueTypeWords[queue_type] }))}
        />
      )}
      {queue && <SettingsForm key={kind} queue={queue} onDone={onDone} />}
    </Stack>
  );
}

function SettingsForm({ queue, onDone }: { queue: Queue; onDone: () => void }) {
  const [most, setMost] = useState<number | string>(queue.max_running ?? "");
  const [mode, setMode] = useState<RetryMode>(queue.retry_mode);
  const save = useAction({
    run: () =>
      body(
        api.PATCH("/api/queue/{queue_type}", {
          params: { path: { queue_type: queue.queue_type } },
          body: { max_running: typeof most === "number" ? most : null, retry_mode: mode },
        }),
      ),
    done: () => texts.saved,
    failed: texts.notSaved,
    touches: queueKeys,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: onDone });
      }}
    >
      <Stack gap="md">
        <NumberInput
          data-autofocus
          label={texts.limit}
          description={texts.limitHelp}
          placeholder={texts.unlimited}
          value={most}
          onChange={setMost}
          min={1}
          max={HIGHEST_LIMIT}
          allowDecimal={false}
          allowNegative={false}
        />
        <Radio.Group label={texts.onFailure} value={mode} onChange={(value) => setMode(value as RetryMode)}>
          <Stack gap="xs" mt="xs">
            <Radio value="auto" label={texts.retryAutomatically} description={texts.retryAutomaticallyHelp} />
            <Radio value="manual" label={texts.retryManually} description={texts.retryManuallyHelp} />
          </Stack>
        </Radio.Group>
        <Button type="submit" loading={save.isPending}>
          {texts.save}
        </Button>
      </Stack>
    </form>
  );
}

function hasJobs({ depth }: Queue): boolean {
  return depth.pending + depth.running + depth.completed + depth.errors > 0;
}

import { Group, Stack, Text } from "@mantine/core";
import { Eraser, Search } from "lucide-react";
import { api, body } from "@/api/client";
import { useAction } from "@/api/mutations";
import type { CleanupReport } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { confirm } from "@/components/confirm";
import { Notice } from "@/components/Notice";
import { formatBytes } from "@/format/bytes";
import { count } from "@/format/count";
import { Section } from "../Section";
import classes from "../Settings.module.css";
import { cleanupWords, found, totalWords } from "./cleanupWords";

/** What nobody needs any more: what that is now, and a button that does not wait. */
export function Cleanup() {
  const clean = useAction({
    run: (dry_run: boolean) => body(api.POST("/api/gc", { body: { dry_run } })),
    failed: "The clean-up did not end well",
  });
  const report = clean.data;
  const ask = () =>
    confirm({
      title: "Remove it now",
      text: `${report ? totalWords(report) : ""} This cannot be undone.`,
      confirm: "Remove it",
      onConfirm: () => clean.mutate(false),
    });
  return (
    <Section
      id="cleanup"
      title="Clean-up"
      description="What nobody needs any more is removed by itself every few minutes, as the settings of the server say."
      action={
        <BusyButton
          size="sm"
          variant="default"
          leftSection={<Search size={16} aria-hidden />}
          busy={clean.isPending}
          onClick={() => clean.mutate(true)}
        >
          See what would go
        </BusyButton>
      }
    >
      <div role="status">{report && <Report report={report} />}</div>
      {report?.dry_run && found(report).length > 0 && (
        <Group mt="sm">
          <BusyButton
            size="sm"
            variant="default"
            leftSection={<Eraser size={16} aria-hidden />}
            busy={clean.isPending}
            onClick={ask}
          >
            Remove it now…
          </BusyButton>
        </Group>
      )}
    </Section>
  );
}

function Report({ report }: { report: CleanupReport }) {
  const kinds = found(report);
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {totalWords(report)}
      </Text>
      {report.failed.length > 0 && (
        <Notice tone="warning" title="Not all could be removed">
          {report.failed.map((kind) => cleanupWords[kind].label).join(", ")}: the log of the server says why.
        </Notice>
      )}
      {report.backup_runs && (
        <Notice tone="neutral" title="A backup runs">
          Files stay until it is done.
        </Notice>
      )}
      <dl className={classes.facts}>
        {kinds.map(({ kind, count: number, bytes }) => (
          <div key={kind}>
            <dt>{cleanupWords[kind].label}</dt>
            <dd>
              {count(number, cleanupWords[kind].one, cleanupWords[kind].many)}
              {bytes > 0 && `, ${formatBytes(bytes)}`}
            </dd>
          </div>
        ))}
      </dl>
    </Stack>
  );
}

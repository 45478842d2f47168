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
import { settingsTexts } from "@/texts/settings";
import { Section } from "../Section";
import classes from "../Settings.module.css";
import { found, totalWords } from "./cleanupWords";

const texts = settingsTexts.cleanup;

/** Data that is no longer needed: a preview of it, and a button to remove it now. */
export function Cleanup() {
  const clean = useAction({
    run: (dry_run: boolean) => body(api.POST("/api/gc", { body: { dry_run } })),
    failed: texts.failed,
  });
  const report = clean.data;
  const ask = () =>
    confirm({
      title: texts.confirmTitle,
      text: `${report ? totalWords(report) : ""} ${texts.cannotUndo}`,
      confirm: texts.confirm,
      onConfirm: () => clean.mutate(false),
    });
  return (
    <Section
      id="cleanup"
      title={texts.title}
      description={texts.description}
      action={
        <BusyButton
          size="sm"
          variant="default"
          leftSection={<Search size={16} aria-hidden />}
          busy={clean.isPending}
          onClick={() => clean.mutate(true)}
        >
          {texts.preview}
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
            {texts.run}
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
        <Notice tone="warning" title={texts.someFailed}>
          {texts.seeLog(report.failed.map((kind) => texts.kinds[kind].label).join(", "))}
        </Notice>
      )}
      {report.backup_runs && (
        <Notice tone="neutral" title={texts.backup}>
          {texts.backupText}
        </Notice>
      )}
      <dl className={classes.facts}>
        {kinds.map(({ kind, count: number, bytes }) => (
          <div key={kind}>
            <dt>{texts.kinds[kind].label}</dt>
            <dd>
              {count(number, texts.kinds[kind].one, texts.kinds[kind].many)}
              {bytes > 0 && `, ${formatBytes(bytes)}`}
            </dd>
          </div>
        ))}
      </dl>
    </Stack>
  );
}

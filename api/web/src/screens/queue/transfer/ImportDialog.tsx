import { Button, FileInput, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useState } from "react";
import type { ImportReport } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { Notice } from "@/components/Notice";
import { queueTexts } from "@/texts/queue";
import { queueKeys } from "../useJobActions";
import { importQueue, importWords, leftRows, rowWords } from "./importQueue";

const texts = queueTexts.importDialog;
const ROWS_SHOWN = 100;

/** Asks for a file, says what would happen, and does it. */
export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={texts.title} size="lg" closeOnClickOutside={false}>
      <Import onClose={onClose} />
    </Modal>
  );
}

function Import({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const look = useMutation({ mutationFn: (chosen: File) => importQueue(chosen, true) });
  const take = useMutation({
    mutationFn: (chosen: File) => importQueue(chosen, false),
    onSuccess: () => {
      for (const queryKey of queueKeys) void client.invalidateQueries({ queryKey });
    },
  });
  const choose = (chosen: File | null) => {
    setFile(chosen);
    take.reset();
    look.reset();
    if (chosen) look.mutate(chosen);
  };
  const report = take.data ?? look.data;
  const error = take.error ?? look.error;
  const canTake = file !== null && look.data !== undefined && !take.data && look.data.imported > 0;
  return (
    <Stack>
      <FileInput
        data-autofocus
        label={texts.file}
        description={texts.fileHelp}
        placeholder={texts.chooseFile}
        accept=".json,.csv,application/json,text/csv"
        leftSection={<FileUp size={16} aria-hidden />}
        value={file}
        onChange={choose}
        clearable
        clearButtonProps={{ "aria-label": texts.clearFile }}
      />
      <div role="status">
        {look.isPending && <Text size="sm">{texts.checking}</Text>}
        {report && <Report report={report} />}
      </div>
      {error && <ErrorState error={error} title={texts.failed} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {texts.close}
        </Button>
        {canTake && (
          <Button loading={take.isPending} onClick={() => take.mutate(file)}>
            {texts.confirm(look.data.imported)}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Report({ report }: { report: ImportReport }) {
  const left = leftRows(report);
  const tone = report.dry_run ? "neutral" : report.refused > 0 ? "warning" : "good";
  return (
    <Notice tone={tone} title={importWords(report)}>
      {left.length > 0 && (
        <List size="sm" spacing={2} mah={260} style={{ overflow: "auto" }} tabIndex={0} aria-label={texts.skipped}>
          {left.slice(0, ROWS_SHOWN).map((row) => (
            <List.Item key={row.line}>{rowWords(row)}</List.Item>
          ))}
          {left.length > ROWS_SHOWN && <List.Item>{texts.more(left.length - ROWS_SHOWN)}</List.Item>}
        </List>
      )}
    </Notice>
  );
}

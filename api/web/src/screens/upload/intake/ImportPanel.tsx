import { Button, Collapse, Group, List, Stack, Textarea, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { ErrorState } from "@/components/ErrorState";
import { Notice } from "@/components/Notice";
import { asSentence } from "@/format/sentence";
import { uploadTexts } from "@/texts/upload";
import type { UploadOptionValues } from "@/uploads/options";
import classes from "./Intake.module.css";
import { reportWords } from "./intakeWords";
import { type BatchLine, batchLines, linesProblem } from "./lines";

const texts = uploadTexts.import;

/** Files that the server fetches itself: nothing goes through this browser. */
export function ImportPanel({ options }: { options: UploadOptionValues }) {
  const [opened, panel] = useDisclosure(false);
  const id = useId();
  return (
    <div>
      <UnstyledButton className={classes.disclosure} aria-expanded={opened} aria-controls={id} onClick={panel.toggle}>
        <ChevronRight size={16} aria-hidden data-open={opened || undefined} />
        {texts.open}
      </UnstyledButton>
      <Collapse id={id} expanded={opened}>
        {opened && <ImportForm options={options} />}
      </Collapse>
    </div>
  );
}

function ImportForm({ options: { collection, priority } }: { options: UploadOptionValues }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const send = useMutation({
    mutationFn: async (lines: BatchLine[]) => {
      const common = {
        ...(collection.trim() !== "" && { collection: collection.trim() }),
        ...(priority !== "normal" && { priority }),
      };
      const items = lines.map(({ item }) => ({ ...item, ...common }));
      const report = await body(api.POST("/api/videos/batch", { body: { items } }));
      const refused = report.results.flatMap(({ status, reason }, at) => {
        const line = lines[at];
        return status === "refused" && line ? [{ ...line, reason: reason ?? "" }] : [];
      });
      return { report, refused };
    },
    onSuccess: ({ refused }) => {
      // Rejected lines stay, to be corrected.
      setText(refused.map(({ text }) => text).join("\n"));
      void client.invalidateQueries({ queryKey: keys.intake });
    },
  });
  const submit = () => {
    const lines = batchLines(text);
    const found = linesProblem(lines);
    setProblem(found);
    if (!found) send.mutate(lines);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm" pt="xs">
        <Textarea
          label={texts.lines}
          description={texts.linesHint}
          placeholder={texts.linesExample}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={problem}
        />
        <div role="status">
          {send.data && (
            <Stack gap="xs">
              {send.data.report.accepted + send.data.report.duplicates > 0 && (
                <Notice tone="good">{reportWords(send.data.report)}</Notice>
              )}
              {send.data.refused.length > 0 && <Refused lines={send.data.refused} />}
            </Stack>
          )}
        </div>
        {send.isError && <ErrorState error={send.error} title={texts.failed} />}
        <Group>
          <Button type="submit" loading={send.isPending}>
            {texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Refused({ lines }: { lines: readonly (BatchLine & { reason: string })[] }) {
  return (
    <Notice tone="bad" title={texts.rejected(lines.length)}>
      <List size="sm" spacing={2}>
        {lines.map(({ line, text, reason }) => (
          <List.Item key={line}>
            <span className="any-break">{text}</span>: {asSentence(reason)}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}

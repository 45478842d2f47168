import { ActionIcon, Button, NativeSelect, NumberInput, Stack, Text } from "@mantine/core";
import { Plus, X } from "lucide-react";
import { useId, useRef } from "react";
import type { VideoCodec } from "@/api/types";
import { collectionsTexts } from "@/texts/collections";
import classes from "./Collections.module.css";
import { codecs, kbpsProblem, ladderProblem, ladderWords, MOST_RUNGS, type Rung, sideProblem } from "./ladder";

const texts = collectionsTexts.ladder;

interface LadderEditorProps {
  rungs: readonly Rung[];
  onChange: (rungs: Rung[]) => void;
}

/** One line for each quality, and below it what they make. */
export function LadderEditor({ rungs, onChange }: LadderEditorProps) {
  const problem = ladderProblem(rungs);
  const add = useRef<HTMLButtonElement>(null);
  const label = useId();
  const change = (at: number, part: Partial<Rung>) =>
    onChange(rungs.map((rung, index) => (index === at ? { ...rung, ...part } : rung)));
  const remove = (at: number) => {
    onChange(rungs.filter((_, index) => index !== at));
    add.current?.focus();
  };
  return (
    <Stack gap="xs" role="group" aria-labelledby={label}>
      <Text size="sm" fw={600} id={label}>
        {texts.title}
      </Text>
      <div className={classes.rung} aria-hidden>
        <Text size="xs" c="dimmed">
          {texts.resolution}
        </Text>
        <Text size="xs" c="dimmed">
          {texts.bitrate}
        </Text>
        <Text size="xs" c="dimmed">
          {texts.codec}
        </Text>
      </div>
      <ul className={classes.rungs}>
        {rungs.map((rung, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place
          <li key={at} className={classes.rung}>
            <NumberInput
              aria-label={texts.resolutionOf(at + 1)}
              value={rung.side}
              onChange={(side) => change(at, { side })}
              error={sideProblem(rung.side)}
              suffix="p"
              hideControls
              allowDecimal={false}
              allowNegative={false}
            />
            <NumberInput
              aria-label={texts.bitrateOf(at + 1)}
              value={rung.kbps}
              onChange={(kbps) => change(at, { kbps })}
              error={kbpsProblem(rung.kbps)}
              thousandSeparator=","
              hideControls
              allowDecimal={false}
              allowNegative={false}
            />
            <NativeSelect
              aria-label={texts.codecOf(at + 1)}
              value={rung.codec}
              onChange={({ currentTarget }) => change(at, { codec: currentTarget.value as VideoCodec })}
              data={codecs}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={texts.remove(at + 1)}
              onClick={() => remove(at)}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Button
        ref={add}
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        disabled={rungs.length >= MOST_RUNGS}
        onClick={() => onChange([...rungs, { side: 360, kbps: 600, codec: "h264" }])}
      >
        {texts.add}
      </Button>
      <Text size="sm" role="status" c={problem ? "var(--mantine-color-error)" : "dimmed"}>
        {problem ?? ladderWords(rungs)}
      </Text>
    </Stack>
  );
}

import { Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { Ban, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Video } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { focusHeading } from "@/components/focusHeading";
import { formatNumber } from "@/format/count";
import { videosTexts } from "@/texts/videos";
import type { VideoActions } from "../video/actions/useVideoActions";
import { possible } from "../video/words";
import classes from "./SelectionBar.module.css";

const texts = videosTexts.selection;

interface SelectionBarProps {
  videos: readonly Video[];
  actions: VideoActions;
  onClear: () => void;
}

/** What can be done with the selected videos; each button says for how many of them. */
export function SelectionBar({ videos, actions, onClear }: SelectionBarProps) {
  const [busy, setBusy] = useState<"retry" | "delete" | null>(null);
  const failed = videos.filter((video) => possible(video).retry);
  const working = videos.filter((video) => possible(video).cancel);
  /** The bar goes away with the selection, and the focus to the title. */
  const clear = () => {
    onClear();
    focusHeading();
  };
  const retry = async () => {
    setBusy("retry");
    await actions.retry(failed);
    setBusy(null);
    clear();
  };
  const remove = async () => {
    setBusy("delete");
    // Else what an undo brings back would be selected still.
    if (await actions.remove(videos)) clear();
    setBusy(null);
  };
  return (
    <>
      <div role="status" className="visually-hidden">
        {videos.length > 0 && texts.selected(videos.length)}
      </div>
      {videos.length > 0 && (
        <Paper className={classes.bar} shadow="md" withBorder p="xs" component="section" aria-label={texts.label}>
          <Group gap="xs">
            <CloseButton aria-label={texts.clear} onClick={clear} />
            <Text fw={600} className="numbers" me="auto">
              {texts.selected(videos.length)}
            </Text>
            <BusyButton
              size="xs"
              variant="default"
              leftSection={<RotateCw size={14} aria-hidden />}
              disabled={failed.length === 0}
              busy={busy === "retry"}
              onClick={retry}
            >
              {texts.retry} {numberOf(failed)}
            </BusyButton>
            <Button
              size="xs"
              variant="default"
              leftSection={<Ban size={14} aria-hidden />}
              disabled={working.length === 0}
              onClick={() => actions.cancel(working)}
            >
              {texts.cancel} {numberOf(working)}
            </Button>
            <BusyButton
              size="xs"
              color="red.9"
              leftSection={<Trash2 size={14} aria-hidden />}
              busy={busy === "delete"}
              onClick={remove}
            >
              {texts.delete} {numberOf(videos)}
            </BusyButton>
          </Group>
        </Paper>
      )}
    </>
  );
}

function numberOf(videos: readonly Video[]): string {
  return videos.length === 0 ? "" : formatNumber(videos.length);
}

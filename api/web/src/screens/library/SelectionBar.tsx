import { Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { Ban, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Video } from "@/api/types";
import { BusyButton } from "@/components/BusyButton";
import { focusHeading } from "@/components/focusHeading";
import { formatNumber } from "@/format/count";
import type { VideoActions } from "../video/actions/useVideoActions";
import { possible } from "../video/words";
import classes from "./SelectionBar.module.css";

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
        {videos.length > 0 && `${formatNumber(videos.length)} selected`}
      </div>
      {videos.length > 0 && (
        <Paper className={classes.bar} shadow="md" withBorder p="xs" component="section" aria-label="Selected videos">
          <Group gap="xs">
            <CloseButton aria-label="Select none" onClick={clear} />
            <Text fw={600} className="numbers" me="auto">
              {formatNumber(videos.length)} selected
            </Text>
            <BusyButton
              size="xs"
              variant="default"
              leftSection={<RotateCw size={14} aria-hidden />}
              disabled={failed.length === 0}
              busy={busy === "retry"}
              onClick={retry}
            >
              Retry {numberOf(failed)}
            </BusyButton>
            <Button
              size="xs"
              variant="default"
              leftSection={<Ban size={14} aria-hidden />}
              disabled={working.length === 0}
              onClick={() => actions.cancel(working)}
            >
              Cancel {numberOf(working)}
            </Button>
            <BusyButton
              size="xs"
              color="red.9"
              leftSection={<Trash2 size={14} aria-hidden />}
              busy={busy === "delete"}
              onClick={remove}
            >
              Delete {numberOf(videos)}
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

import { Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { Ban, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Video } from "@/api/types";
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
  const retry = async () => {
    setBusy("retry");
    await actions.retry(failed);
    setBusy(null);
  };
  const remove = async () => {
    setBusy("delete");
    // Else what an undo brings back would be selected still.
    if (await actions.remove(videos)) onClear();
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
            <CloseButton aria-label="Select none" onClick={onClear} />
            <Text fw={600} className="numbers" me="auto">
              {formatNumber(videos.length)} selected
            </Text>
            <Button
              size="xs"
              variant="default"
              leftSection={<RotateCw size={14} aria-hidden />}
              disabled={failed.length === 0}
              loading={busy === "retry"}
              onClick={retry}
            >
              Retry {numberOf(failed)}
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<Ban size={14} aria-hidden />}
              disabled={working.length === 0}
              onClick={() => actions.cancel(working)}
            >
              Cancel {numberOf(working)}
            </Button>
            <Button
              size="xs"
              color="red.9"
              leftSection={<Trash2 size={14} aria-hidden />}
              loading={busy === "delete"}
              onClick={remove}
            >
              Delete {numberOf(videos)}
            </Button>
          </Group>
        </Paper>
      )}
    </>
  );
}

function numberOf(videos: readonly Video[]): string {
  return videos.length === 0 ? "" : formatNumber(videos.length);
}

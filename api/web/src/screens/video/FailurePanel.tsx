import { Button, Group, Text, Title } from "@mantine/core";
import { CircleAlert, CloudUpload, RotateCw } from "lucide-react";
import { useState } from "react";
import type { Job, Video } from "@/api/types";
import { ButtonLink } from "@/components/links";
import type { VideoActions } from "./actions/useVideoActions";
import { explainVideo, technicalLines } from "./failure";
import { TechnicalLines } from "./TechnicalLines";
import classes from "./VideoScreen.module.css";

interface FailurePanelProps {
  video: Video;
  /** The newest transcode. */
  job: Job | undefined;
  actions: VideoActions;
}

/** Why there is nothing to play, or why the new version was not made; and what to do. */
export function FailurePanel({ video, job, actions }: FailurePanelProps) {
  const [retrying, setRetrying] = useState(false);
  const { reason, advice, retryHelps } = explainVideo(video, job);
  const plays = video.generation > 0;
  const lines = technicalLines([
    ["Job", job?.number],
    ["Class", job?.error_class],
    ["Attempts", job?.attempt_number],
    ["Worker", job?.processed_by_worker_name ?? job?.worker_name],
    ["Video", video.id],
    ["Error", job?.error ?? video.error],
  ]);
  const retry = async () => {
    setRetrying(true);
    await actions.retry([video]);
    setRetrying(false);
  };
  return (
    <section className={classes.failure} aria-label="What went wrong">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <CircleAlert size={28} aria-hidden className={classes.failureIcon} />
        <div className={classes.failureText}>
          {plays && <Text size="sm">The new version was not made. The one before plays on.</Text>}
          <Title order={2} size="h3" className="any-break">
            {reason}
          </Title>
          <Text>{advice}</Text>
          <Group gap="xs" my="sm">
            <Button
              variant={retryHelps ? "filled" : "default"}
              leftSection={<RotateCw size={16} aria-hidden />}
              loading={retrying}
              onClick={retry}
            >
              Retry
            </Button>
            {!retryHelps && (
              <ButtonLink to="/upload" leftSection={<CloudUpload size={16} aria-hidden />}>
                Upload again
              </ButtonLink>
            )}
          </Group>
          <TechnicalLines text={lines} />
        </div>
      </Group>
    </section>
  );
}

import { Button, Group, Text, Title } from "@mantine/core";
import { CircleAlert, CloudUpload, RotateCw } from "lucide-react";
import { useState } from "react";
import type { Job, Video } from "@/api/types";
import { ButtonLink } from "@/components/links";
import { videoTexts } from "@/texts/video";
import type { VideoActions } from "./actions/useVideoActions";
import { explainVideo, technicalLines } from "./failure";
import { TechnicalLines } from "./TechnicalLines";
import classes from "./VideoScreen.module.css";

const { failure: texts, technical: labels } = videoTexts;

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
    [labels.job, job?.number],
    [labels.errorClass, job?.error_class],
    [labels.attempts, job?.attempt_number],
    [labels.worker, job?.processed_by_worker_name ?? job?.worker_name],
    [labels.video, video.id],
    [labels.error, job?.error ?? video.error],
  ]);
  const retry = async () => {
    setRetrying(true);
    await actions.retry([video]);
    setRetrying(false);
  };
  return (
    <section className={classes.failure} aria-label={texts.label}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <CircleAlert size={28} aria-hidden className={classes.failureIcon} />
        <div className={classes.failureText}>
          {plays && <Text size="sm">{texts.previousVersion}</Text>}
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
              {texts.retry}
            </Button>
            {!retryHelps && (
              <ButtonLink to="/upload" leftSection={<CloudUpload size={16} aria-hidden />}>
                {texts.uploadAgain}
              </ButtonLink>
            )}
          </Group>
          <TechnicalLines text={lines} />
        </div>
      </Group>
    </section>
  );
}

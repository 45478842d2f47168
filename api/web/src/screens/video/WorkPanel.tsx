import { Group, Paper, Text, Title } from "@mantine/core";
import { skipToken, useQuery } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import type { Job, Quality, Video, Work } from "@/api/types";
import { Bar } from "@/components/Bar";
import { EtaText } from "@/components/EtaText";
import { QualityBars, toQualityBars } from "@/components/QualityBars";
import { WaitingText } from "@/components/WaitingText";
import { formatPercent } from "@/format/count";
import { placeInQueue } from "@/format/place";
import { videoTexts } from "@/texts/video";
import { TechnicalLines } from "./TechnicalLines";
import classes from "./VideoScreen.module.css";
import { stepText } from "./words";

const texts = videoTexts.progress;

interface WorkPanelProps {
  video: Video;
  work: Work;
  job: Job | undefined;
  qualities: readonly Quality[];
}

/** How far the work on a video is, by quality; or why it waits. */
export function WorkPanel({ video, work, job, qualities }: WorkPanelProps) {
  const again = video.generation > 0;
  const attempt = job && job.attempt_number > 1 ? texts.attempt(job.attempt_number) : null;
  const runs = work.status === "running";
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.label}>
      <Group justify="space-between" wrap="nowrap" align="baseline">
        <Title order={2} size="h4">
          {stepText(work, again)}
        </Title>
        {runs && (
          <Text fw={650} size="xl" className="numbers">
            {formatPercent(work.percent)}
          </Text>
        )}
      </Group>
      <Text c="dimmed" size="sm" component="div" mb="sm">
        {work.position != null && `${placeInQueue(work.position)}. `}
        <WaitingText waiting={work.waiting} /> {runs && work.worker_name && `${texts.onWorker(work.worker_name)} `}
        {work.state === "expired" && `${texts.noHeartbeat} `}
        {(runs || work.eta) && (
          <>
            <EtaText eta={work.eta} text={again ? texts.doneIn : texts.readyIn} />{" "}
          </>
        )}
        {attempt}
      </Text>
      {runs && <Bar percent={work.percent} label={texts.overall} height={10} />}
      {qualities.length > 0 && (
        <div className={classes.bars}>
          <QualityBars variant="full" qualities={toQualityBars(qualities)} />
        </div>
      )}
      {runs && <EncoderLog jobId={work.job_id} />}
      {again && (
        <Text size="sm" c="dimmed" mt="sm">
          {texts.versionStays}
        </Text>
      )}
    </Paper>
  );
}

/** The last lines of the encoder's log, live. For most videos it is empty. */
function EncoderLog({ jobId }: { jobId: string }) {
  const { data } = useQuery<string>({ queryKey: keys.log(jobId), queryFn: skipToken });
  return data ? <TechnicalLines text={data} title={texts.encoderLog} /> : null;
}

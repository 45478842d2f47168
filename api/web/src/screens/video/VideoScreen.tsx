import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useState } from "react";
import { ApiProblem } from "@/api/problem";
import { videoQuery } from "@/api/queries";
import type { VideoDetail } from "@/api/types";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { TextLink } from "@/components/links";
import { RowsSkeleton } from "@/components/Skeletons";
import { videoTexts } from "@/texts/video";
import { useVideoActions, type VideoActions } from "./actions/useVideoActions";
import { Activity } from "./activity/Activity";
import { Details } from "./Details";
import { FailurePanel } from "./FailurePanel";
import { History } from "./history/History";
import { Notes } from "./Notes";
import { PlayerBox } from "./player/PlayerBox";
import { Renditions } from "./Renditions";
import { Share } from "./Share";
import { SpokenProgress } from "./SpokenProgress";
import { VideoHeader } from "./VideoHeader";
import classes from "./VideoScreen.module.css";
import { WorkPanel } from "./WorkPanel";

const route = getRouteApi("/shell/library/$id");

export function VideoScreen() {
  const { id } = route.useParams();
  return <OneVideo key={id} id={id} />;
}

function OneVideo({ id }: { id: string }) {
  const navigate = route.useNavigate();
  const actions = useVideoActions();
  // What is being deleted is not asked for again, whatever the live stream says of it.
  const [removing, setRemoving] = useState(false);
  const video = useQuery({ ...videoQuery(id), enabled: !removing });
  const isGone = video.error instanceof ApiProblem && video.error.status === 404;
  const detail = isGone ? undefined : video.data;
  const remove = async () => {
    if (!detail) return;
    setRemoving(true);
    if (await actions.remove([detail.video])) await navigate({ to: "/library", search: {} });
    else setRemoving(false);
  };
  return (
    <>
      <VideoHeader video={detail?.video} actions={actions} onRemove={remove} />
      {video.isPending && <RowsSkeleton rows={4} height={90} />}
      {isGone && <Gone />}
      {video.isError && !isGone && !detail && (
        <ErrorState title={videoTexts.loadingFailed} error={video.error} retry={() => video.refetch()} />
      )}
      {detail && <Detail detail={detail} actions={actions} />}
    </>
  );
}

function Detail({ detail, actions }: { detail: VideoDetail; actions: VideoActions }) {
  const { video, jobs, qualities, source, notes } = detail;
  const { work } = video;
  const newest = jobs.find(({ queue_type }) => queue_type === "transcode");
  const failed = !work && (video.status === "failed" || newest?.status === "failed");
  return (
    <div className={classes.columns}>
      <Stack gap="xl" miw={0}>
        {failed && <FailurePanel video={video} job={newest} actions={actions} />}
        {video.generation > 0 && <PlayerBox video={video} />}
        {work && (
          <WorkPanel video={video} work={work} job={jobs.find(({ id }) => id === work.job_id)} qualities={qualities} />
        )}
        <Notes notes={notes} />
        <Renditions video={video} qualities={qualities} />
        <History jobs={jobs} />
      </Stack>
      <Stack gap="xl" miw={0}>
        <Details video={video} source={source} actions={actions} />
        <Share video={video} />
        <Activity jobs={jobs} />
      </Stack>
      <SpokenProgress video={video} />
    </div>
  );
}

function Gone() {
  const { title, hint, link } = videoTexts.missing;
  return (
    <EmptyState title={title} icon={SearchX} action={<TextLink to="/library">{link}</TextLink>}>
      {hint}
    </EmptyState>
  );
}

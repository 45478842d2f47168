import { Menu } from "@mantine/core";
import { Ban, Download, Folder, Link2, PenLine, RefreshCw, RotateCw, Trash2 } from "lucide-react";
import type { Video } from "@/api/types";
import type { Pick } from "@/components/ActionMenu";
import { videoTexts } from "@/texts/video";
import { possible } from "../words";
import { sourceUrl } from "./calls";
import type { VideoActions } from "./useVideoActions";

interface VideoMenuItemsProps {
  video: Video;
  actions: VideoActions;
  /** In place of deleting it just so. */
  onRemove?: () => void;
  pick?: Pick;
}

const justDo: Pick = (act) => act;

/** What can be done with one video. What cannot be done now is not there. */
export function VideoMenuItems({ video, actions, onRemove, pick = justDo }: VideoMenuItemsProps) {
  const can = possible(video);
  const remove = onRemove ?? (() => void actions.remove([video]));
  return (
    <>
      {can.retry && (
        <Menu.Item leftSection={<RotateCw size={16} aria-hidden />} onClick={pick(() => actions.retry([video]))}>
          {videoTexts.retry}
        </Menu.Item>
      )}
      {can.cancel && (
        <Menu.Item leftSection={<Ban size={16} aria-hidden />} onClick={pick(() => actions.cancel([video]))}>
          {videoTexts.menu.cancelTranscoding}
        </Menu.Item>
      )}
      {can.retranscode && (
        <Menu.Item leftSection={<RefreshCw size={16} aria-hidden />} onClick={pick(() => actions.retranscode(video))}>
          {videoTexts.menu.transcodeAgain}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<PenLine size={16} aria-hidden />} onClick={pick(() => actions.rename(video))}>
        {videoTexts.menu.rename}
      </Menu.Item>
      <Menu.Item leftSection={<Folder size={16} aria-hidden />} onClick={pick(() => actions.changeCollection(video))}>
        {videoTexts.menu.changeCollection}
      </Menu.Item>
      {video.playback_url && (
        <Menu.Item leftSection={<Link2 size={16} aria-hidden />} onClick={pick(() => actions.copyPlaybackUrl(video))}>
          {videoTexts.copyPlaybackUrl}
        </Menu.Item>
      )}
      {can.download && (
        <Menu.Item component="a" href={sourceUrl(video.id)} download leftSection={<Download size={16} aria-hidden />}>
          {videoTexts.downloadOriginal}
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item
        leftSection={<Trash2 size={16} aria-hidden />}
        color="var(--mantine-color-error)"
        onClick={pick(remove)}
      >
        {videoTexts.delete}
      </Menu.Item>
    </>
  );
}

import { ActionIcon, Button, Group, Menu, Tooltip } from "@mantine/core";
import { Ban, ChevronLeft, Download, EllipsisVertical, RefreshCw } from "lucide-react";
import type { Video } from "@/api/types";
import { TextLink } from "@/components/links";
import { PageHeader } from "@/components/PageHeader";
import { ToneBadge } from "@/components/StatusBadge";
import { TimeAgo } from "@/components/TimeAgo";
import { videoTexts } from "@/texts/video";
import { sourceUrl } from "./actions/calls";
import type { VideoActions } from "./actions/useVideoActions";
import { VideoMenuItems } from "./actions/VideoMenuItems";
import { InlineTitle } from "./InlineTitle";
import { noSourceWords, possible, statusWords } from "./words";

interface VideoHeaderProps {
  video: Video | undefined;
  actions: VideoActions;
  onRemove: () => void;
}

export function VideoHeader({ video, actions, onRemove }: VideoHeaderProps) {
  return (
    <>
      <TextLink to="/library" size="sm" display="inline-flex" mb={4}>
        <ChevronLeft size={16} aria-hidden style={{ alignSelf: "center" }} />
        {videoTexts.backToVideos}
      </TextLink>
      <PageHeader
        title={video?.title ?? videoTexts.title}
        around={(heading) =>
          video ? (
            <InlineTitle title={video.title} heading={heading} save={(title) => actions.saveTitle(video, title)} />
          ) : (
            heading
          )
        }
        actions={video && <HeaderActions video={video} actions={actions} onRemove={onRemove} />}
      >
        {video && (
          <Group gap="xs" mt={4}>
            <ToneBadge {...statusWords(video)} />
            <span>
              {video.collection && `${video.collection}, `}
              {videoTexts.added} <TimeAgo time={video.created_at} />
            </span>
          </Group>
        )}
      </PageHeader>
    </>
  );
}

interface HeaderActionsProps {
  video: Video;
  actions: VideoActions;
  onRemove: () => void;
}

function HeaderActions({ video, actions, onRemove }: HeaderActionsProps) {
  const can = possible(video);
  const noSource = noSourceWords(video);
  return (
    <>
      {can.cancel && (
        <Button variant="default" leftSection={<Ban size={16} aria-hidden />} onClick={() => actions.cancel([video])}>
          {videoTexts.cancel}
        </Button>
      )}
      {can.retranscode && (
        <Button
          variant="default"
          leftSection={<RefreshCw size={16} aria-hidden />}
          onClick={() => actions.retranscode(video)}
        >
          {videoTexts.transcodeAgain}
        </Button>
      )}
      {noSource && <NotAgain why={noSource} />}
      {can.download && (
        <Button
          component="a"
          href={sourceUrl(video.id)}
          download
          variant="default"
          visibleFrom="sm"
          leftSection={<Download size={16} aria-hidden />}
        >
          {videoTexts.downloadOriginal}
        </Button>
      )}
      <Menu position="bottom-end" shadow="md" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={videoTexts.moreActions}>
            <EllipsisVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <VideoMenuItems video={video} actions={actions} onRemove={onRemove} />
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** There, so that people need not look for it, and with the reason why it does nothing. */
function NotAgain({ why }: { why: string }) {
  return (
    <Tooltip label={why} multiline w={280}>
      <Button
        variant="default"
        leftSection={<RefreshCw size={16} aria-hidden />}
        data-disabled
        aria-disabled
        aria-description={why}
      >
        {videoTexts.transcodeAgain}
      </Button>
    </Tooltip>
  );
}

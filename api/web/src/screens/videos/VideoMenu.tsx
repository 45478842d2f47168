import { Menu, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import { SquareArrowOutUpRight } from "lucide-react";
import type { Video } from "@/api/types";
import { ActionMenu } from "@/components/ActionMenu";
import { videosTexts } from "@/texts/videos";
import type { VideoActions } from "../video/actions/useVideoActions";
import { VideoMenuItems } from "../video/actions/VideoMenuItems";

type AnchorItemProps = MenuItemProps & Omit<React.ComponentPropsWithRef<"a">, keyof MenuItemProps>;

const MenuLink = createLink((props: AnchorItemProps) => <Menu.Item component="a" {...props} />);

export function VideoMenu({ video, actions }: { video: Video; actions: VideoActions }) {
  return (
    <ActionMenu label={videosTexts.actionsFor(video.title)}>
      {(pick) => (
        <>
          <MenuLink
            to="/library/$id"
            params={{ id: video.id }}
            leftSection={<SquareArrowOutUpRight size={16} aria-hidden />}
          >
            {videosTexts.open}
          </MenuLink>
          <VideoMenuItems video={video} actions={actions} pick={pick} />
        </>
      )}
    </ActionMenu>
  );
}

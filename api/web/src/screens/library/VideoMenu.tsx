import { ActionIcon, Menu, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import { EllipsisVertical, SquareArrowOutUpRight } from "lucide-react";
import type { Video } from "@/api/types";
import type { VideoActions } from "../video/actions/useVideoActions";
import { VideoMenuItems } from "../video/actions/VideoMenuItems";

type AnchorItemProps = MenuItemProps & Omit<React.ComponentPropsWithRef<"a">, keyof MenuItemProps>;

const MenuLink = createLink((props: AnchorItemProps) => <Menu.Item component="a" {...props} />);

export function VideoMenu({ video, actions }: { video: Video; actions: VideoActions }) {
  return (
    <Menu position="bottom-end" shadow="md" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Actions for ${video.title}`}>
          <EllipsisVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuLink
          to="/library/$id"
          params={{ id: video.id }}
          leftSection={<SquareArrowOutUpRight size={16} aria-hidden />}
        >
          Open
        </MenuLink>
        <VideoMenuItems video={video} actions={actions} />
      </Menu.Dropdown>
    </Menu>
  );
}

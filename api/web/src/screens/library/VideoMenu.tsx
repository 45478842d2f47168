import { ActionIcon, Menu } from "@mantine/core";
import { EllipsisVertical, SquareArrowOutUpRight } from "lucide-react";
import { Link } from "@tanstack/react-router";
import type { Video } from "@/api/types";
import type { VideoActions } from "../video/actions/useVideoActions";
import { VideoMenuItems } from "../video/actions/VideoMenuItems";

export function VideoMenu({ video, actions }: { video: Video; actions: VideoActions }) {
  return (
    <Menu position="bottom-end" shadow="md" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Actions for ${video.title}`}>
          <EllipsisVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          to="/library/$id"
          params={{ id: video.id }}
          leftSection={<SquareArrowOutUpRight size={16} aria-hidden />}
        >
          Open
        </Menu.Item>
        <VideoMenuItems video={video} actions={actions} />
      </Menu.Dropdown>
    </Menu>
  );
}

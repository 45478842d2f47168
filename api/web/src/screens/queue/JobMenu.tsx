import { Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { ArrowDown, ArrowUp, CircleX, Download, Film, Hash, Minus, RotateCw } from "lucide-react";
import { jobLogUrl } from "@/api/client";
import type { Job } from "@/api/types";
import { ActionMenu } from "@/components/ActionMenu";
import { queueTexts as texts } from "@/texts/queue";
import { openPriorityDialog } from "./openPriorityDialog";
import { namedPriorities, priorityWords } from "./priority";
import type { JobActions } from "./useJobActions";

const ICON = { size: 16, "aria-hidden": true } as const;

/** Everything that can be done to one job. */
export function JobMenu({ job, actions }: { job: Job; actions: JobActions }) {
  return (
    <ActionMenu label={texts.menu.label(job.video_title)}>
      {(pick) => (
        <>
          <OpenVideo job={job} />
          <Menu.Item component="a" href={jobLogUrl(job.id)} download leftSection={<Download {...ICON} />}>
            {texts.menu.downloadLog}
          </Menu.Item>
          {job.status === "pending" && (
            <>
              <Menu.Divider />
              <Menu.Label>{texts.menu.priority(priorityWords(job.priority))}</Menu.Label>
              {namedPriorities.map(({ value, label }) => {
                const Icon = value > 0 ? ArrowUp : value < 0 ? ArrowDown : Minus;
                return (
                  <Menu.Item
                    key={value}
                    leftSection={<Icon {...ICON} />}
                    disabled={job.priority === value}
                    onClick={pick(() => actions.setPriority(job, value))}
                  >
                    {texts.priorities.withNumber(label, value)}
                  </Menu.Item>
                );
              })}
              <Menu.Item
                leftSection={<Hash {...ICON} />}
                onClick={pick(() =>
                  openPriorityDialog({
                    title: texts.priorityDialog.ofVideo(job.video_title),
                    start: job.priority,
                    onChosen: (priority) => actions.setPriority(job, priority),
                  }),
                )}
              >
                {texts.menu.customPriority}
              </Menu.Item>
              <Menu.Divider />
            </>
          )}
          {(job.status === "failed" || job.status === "cancelled") && (
            <Menu.Item leftSection={<RotateCw {...ICON} />} onClick={pick(() => actions.retry(job))}>
              {texts.menu.retry}
            </Menu.Item>
          )}
          {(job.status === "pending" || job.status === "running") && (
            <Menu.Item leftSection={<CircleX {...ICON} />} onClick={pick(() => actions.cancel(job))}>
              {texts.menu.cancel}
            </Menu.Item>
          )}
        </>
      )}
    </ActionMenu>
  );
}

function OpenVideo({ job }: { job: Job }) {
  const navigate = useNavigate();
  return (
    <Menu.Item
      leftSection={<Film {...ICON} />}
      onClick={() => navigate({ to: "/library/$id", params: { id: job.video_id } })}
    >
      {texts.menu.openVideo}
    </Menu.Item>
  );
}

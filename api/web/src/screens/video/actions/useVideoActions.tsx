import { modals } from "@mantine/modals";
import { notifications } from "@mantine/notifications";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type BulkResult, runEach, tellBulk } from "@/api/bulk";
import { keys } from "@/api/keys";
import { messageOf } from "@/api/problem";
import type { Video } from "@/api/types";
import { confirm } from "@/components/confirm";
import { copyText } from "@/components/copy";
import { videoTexts } from "@/texts/video";
import { possible } from "../words";
import { CollectionForm } from "./CollectionForm";
import {
  absoluteUrl,
  cancelVideo,
  changeVideo,
  deleteVideo,
  restoreVideo,
  retranscodeVideo,
  retryVideo,
} from "./calls";
import { dropFromLists } from "./lists";
import { RenameForm } from "./RenameForm";
import { RetranscodeForm } from "./RetranscodeForm";
import { showUndo } from "./UndoMessage";

const { cancelDialog } = videoTexts;

/** Everything that a menu or a button does to videos. The same object as long as the page lives. */
export interface VideoActions {
  retry: (videos: readonly Video[]) => Promise<void>;
  /** Asks first. */
  cancel: (videos: readonly Video[]) => void;
  /** Can be undone, so nobody is asked. Resolves to whether any is gone. */
  remove: (videos: readonly Video[]) => Promise<boolean>;
  rename: (video: Video) => void;
  /** Resolves to whether it was saved. */
  saveTitle: (video: Video, title: string) => Promise<boolean>;
  changeCollection: (video: Video) => void;
  retranscode: (video: Video) => void;
  copyPlaybackUrl: (video: Video) => Promise<void>;
}

export function useVideoActions(): VideoActions {
  const client = useQueryClient();
  return useMemo(() => actionsWith(client), [client]);
}

function actionsWith(client: QueryClient): VideoActions {
  const refresh = () => {
    for (const queryKey of [keys.videos.all, keys.jobs.all, keys.health]) void client.invalidateQueries({ queryKey });
  };
  const forEach = async (videos: readonly Video[], run: (id: string) => Promise<unknown>, outcome: Outcome) => {
    const result = await runEach(videos, (video) => run(video.id));
    refresh();
    tell(result, videos, outcome);
    return result;
  };
  const save = async (run: () => Promise<unknown>, failed: string): Promise<boolean> => {
    try {
      await run();
      refresh();
      return true;
    } catch (error) {
      notifications.show({ title: failed, message: messageOf(error), color: "red", autoClose: 10_000 });
      return false;
    }
  };
  const saveTitle = (video: Video, title: string) =>
    save(() => changeVideo(video.id, { title }), videoTexts.renameFailed);

  /** Deleting stopped their work; it goes on where it was. */
  const undo = async (videos: readonly Video[]) => {
    const result = await runEach(videos, async (video) => {
      const restored = await restoreVideo(video.id);
      // It may have been finished before it was deleted.
      const finished = restored.status === "ready" && video.status !== "ready";
      if (possible(video).cancel && !finished) await retryVideo(video.id).catch(() => undefined);
    });
    refresh();
    tell(result, videos, videoTexts.restored);
  };

  return {
    retry: async (videos) => {
      await forEach(videos, retryVideo, videoTexts.requeued);
    },

    cancel: (videos) =>
      confirm({
        title: videos.length === 1 ? cancelDialog.title : cancelDialog.titleMany(videos.length),
        text: cancelText(videos),
        confirm: cancelDialog.confirm,
        onConfirm: () => void forEach(videos, cancelVideo, videoTexts.stopped),
      }),

    remove: async (videos) => {
      const { done, refused } = await runEach(videos, (video) => deleteVideo(video.id));
      dropFromLists(client, new Set(done.map(({ id }) => id)));
      // Not their details: nobody can look at those any more.
      for (const queryKey of [keys.videos.lists, keys.jobs.lists, keys.health]) {
        void client.invalidateQueries({ queryKey });
      }
      if (refused.length > 0) tell({ done, refused }, videos, videoTexts.deleted);
      if (done.length > 0) showUndo(`deleted-${done[0]?.id}`, deletedText(done), () => void undo(done));
      return done.length > 0;
    },

    rename: (video) =>
      openForm(videoTexts.renameDialog.title, (close) => (
        <RenameForm title={video.title} save={(t) => saveTitle(video, t)} close={close} />
      )),
    saveTitle,

    changeCollection: (video) =>
      openForm(videoTexts.collectionDialog.title, (close) => (
        <CollectionForm
          collection={video.collection ?? null}
          close={close}
          save={(collection) => save(() => changeVideo(video.id, { collection }), videoTexts.collectionFailed)}
        />
      )),

    retranscode: (video) =>
      openForm(videoTexts.transcodeAgainDialog.title, (close) => (
        <RetranscodeForm
          videoId={video.id}
          close={close}
          save={(choice) => save(() => retranscodeVideo(video.id, choice), videoTexts.transcodeAgainFailed)}
        />
      )),

    copyPlaybackUrl: async (video) => {
      if (!video.playback_url) return;
      const url = absoluteUrl(video.playback_url);
      const copied = await copyText(url);
      notifications.show(
        copied
          ? { message: videoTexts.urlCopied, color: "green" }
          : { title: videoTexts.copyDenied, message: url, color: "yellow", autoClose: false },
      );
    },
  };
}

interface Outcome {
  one: (title: string) => string;
  failed: (title: string) => string;
  many: string;
}

function tell(result: BulkResult<Video>, videos: readonly Video[], { one, failed, many }: Outcome): void {
  const [only] = videos;
  if (videos.length === 1 && only && result.refused.length === 0) {
    notifications.show({ message: one(only.title), color: "green" });
  } else if (videos.length === 1 && only) {
    const message = messageOf(result.refused[0]?.error);
    notifications.show({ title: failed(only.title), message, color: "red", autoClose: 10_000 });
  } else {
    tellBulk(result, videoTexts.noun, many);
  }
}

function deletedText(videos: readonly Video[]): string {
  const [only] = videos;
  return videos.length === 1 && only ? videoTexts.deleted.one(only.title) : videoTexts.videosDeleted(videos.length);
}

function cancelText(videos: readonly Video[]): string {
  const playing = videos.filter(({ generation }) => generation > 0).length;
  if (playing === 0) return cancelDialog.workIsKept;
  return videos.length === 1 ? cancelDialog.versionStays : `${cancelDialog.workIsKept} ${cancelDialog.versionsStay}`;
}

function openForm(title: string, form: (close: () => void) => React.ReactNode): void {
  const close = () => modals.close(id);
  const id = modals.open({ title, children: form(close) });
}

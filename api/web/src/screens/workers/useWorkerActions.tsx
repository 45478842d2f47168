import { Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useMemo } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Worker } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { confirm } from "@/components/confirm";
import { disableWords, drainWords, removeWords, revokeWords, rotateWords } from "./effects";

const touches = [keys.workers, keys.jobs.all, keys.overview, keys.health];

export interface WorkerActions {
  drain: (worker: Worker) => void;
  endDrain: (worker: Worker) => void;
  disable: (worker: Worker) => void;
  enable: (worker: Worker) => void;
  rotateKey: (worker: Worker) => void;
  revokeKey: (worker: Worker) => void;
  remove: (worker: Worker) => void;
}

const to = ({ id }: Worker) => ({ params: { path: { id } } });

/** What can be done to a worker; what people may not have meant is asked about first. The object stays the same. */
export function useWorkerActions(): WorkerActions {
  const { mutate: setDraining } = useAction({
    run: ({ worker, draining }: { worker: Worker; draining: boolean }) =>
      body(api.POST("/api/workers/{id}/drain", { ...to(worker), body: { draining } })),
    done: (_, { worker, draining }) =>
      draining ? `${worker.name} takes no new jobs.` : `${worker.name} takes jobs again.`,
    failed: "The worker was not switched",
    touches,
  });
  const { mutate: disable } = useAction({
    run: (worker: Worker) => body(api.POST("/api/workers/{id}/disable", to(worker))),
    done: (_, { name }) => `${name} is disabled.`,
    failed: "The worker was not disabled",
    touches,
  });
  const { mutate: enable } = useAction({
    run: (worker: Worker) => body(api.POST("/api/workers/{id}/enable", to(worker))),
    done: (_, { name }) => `${name} is enabled.`,
    failed: "The worker was not enabled",
    touches,
  });
  const { mutate: rotateKey } = useAction({
    run: async (worker: Worker) => {
      const { api_key } = await body(api.POST("/api/workers/{id}/rotate-key", to(worker)));
      showKey(worker, api_key);
    },
    failed: "The worker has no new key",
    touches,
  });
  const { mutate: revokeKey } = useAction({
    run: (worker: Worker) => body(api.POST("/api/workers/{id}/revoke-key", to(worker))),
    done: (_, { name }) => `The key of ${name} is revoked.`,
    failed: "The key was not revoked",
    touches,
  });
  const { mutate: remove } = useAction({
    run: async (worker: Worker) => {
      await api.DELETE("/api/workers/{id}", to(worker));
    },
    done: (_, { name }) => `${name} is removed.`,
    failed: "The worker was not removed",
    touches,
  });

  return useMemo(
    () => ({
      drain: (worker) =>
        confirm({
          title: `Drain ${worker.name}`,
          text: drainWords(worker),
          confirm: "Drain",
          danger: false,
          onConfirm: () => setDraining({ worker, draining: true }),
        }),
      endDrain: (worker) => setDraining({ worker, draining: false }),
      disable: (worker) =>
        confirm({
          title: `Disable ${worker.name}`,
          text: disableWords(worker),
          confirm: "Disable",
          onConfirm: () => disable(worker),
        }),
      enable: (worker) => enable(worker),
      rotateKey: (worker) =>
        confirm({
          title: `New key for ${worker.name}`,
          text: rotateWords(worker),
          confirm: "Make a new key",
          onConfirm: () => rotateKey(worker),
        }),
      revokeKey: (worker) =>
        confirm({
          title: `Revoke the key of ${worker.name}`,
          text: revokeWords(worker),
          confirm: "Revoke the key",
          onConfirm: () => revokeKey(worker),
        }),
      remove: (worker) =>
        confirm({
          title: `Remove ${worker.name}`,
          text: removeWords(worker),
          confirm: "Remove",
          onConfirm: () => remove(worker),
        }),
    }),
    [setDraining, disable, enable, rotateKey, revokeKey, remove],
  );
}

function showKey({ name }: Worker, key: string): void {
  modals.open({
    title: `The new key of ${name}`,
    closeOnClickOutside: false,
    children: (
      <Stack gap="sm">
        <Text size="sm">
          It is shown only now. Put it where the worker reads its key and start the worker again: the file behind
          --key-file, the variable FRAMEFARM_WORKER_KEY, or, if it joined with a command, the file worker.key in its
          scratch directory.
        </Text>
        <CopyLine text={key} label="the new key" />
      </Stack>
    ),
  });
}

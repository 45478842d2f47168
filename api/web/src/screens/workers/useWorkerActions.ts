import { useDisclosure } from "@mantine/hooks";
import { useMemo } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Worker } from "@/api/types";
import { confirm } from "@/components/confirm";
import { workersTexts as texts } from "@/texts/workers";

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

/** What can be done to a worker; what people may not have meant is asked about first. The actions stay the same. */
export function useWorkerActions() {
  const { mutate: setDraining } = useAction({
    run: ({ worker, draining }: { worker: Worker; draining: boolean }) =>
      body(api.POST("/api/workers/{id}/drain", { ...to(worker), body: { draining } })),
    done: (_, { worker, draining }) => (draining ? texts.drain.started(worker.name) : texts.drain.stopped(worker.name)),
    failed: texts.drain.failed,
    touches,
  });
  const { mutate: disable } = useAction({
    run: (worker: Worker) => body(api.POST("/api/workers/{id}/disable", to(worker))),
    done: (_, { name }) => texts.disable.done(name),
    failed: texts.disable.failed,
    touches,
  });
  const { mutate: enable } = useAction({
    run: (worker: Worker) => body(api.POST("/api/workers/{id}/enable", to(worker))),
    done: (_, { name }) => texts.enable.done(name),
    failed: texts.enable.failed,
    touches,
  });
  const {
    mutate: rotateKey,
    data: key,
    variables: keyOwner,
    reset: forget,
  } = useAction({
    run: (worker: Worker) => body(api.POST("/api/workers/{id}/rotate-key", to(worker))),
    failed: texts.rotateKey.failed,
    touches,
  });
  const { mutate: revokeKey } = useAction({
    run: (worker: Worker) => body(api.POST("/api/workers/{id}/revoke-key", to(worker))),
    done: (_, { name }) => texts.revokeKey.done(name),
    failed: texts.revokeKey.failed,
    touches,
  });
  const { mutate: remove } = useAction({
    run: async (worker: Worker) => {
      await api.DELETE("/api/workers/{id}", to(worker));
    },
    done: (_, { name }) => texts.remove.done(name),
    failed: texts.remove.failed,
    touches,
  });

  const [opened, { open, close }] = useDisclosure(false);
  const actions = useMemo<WorkerActions>(
    () => ({
      drain: (worker) =>
        confirm({
          title: texts.drain.title(worker.name),
          text: texts.drain.text(worker.jobs.length),
          confirm: texts.drain.confirm,
          danger: false,
          onConfirm: () => setDraining({ worker, draining: true }),
        }),
      endDrain: (worker) => setDraining({ worker, draining: false }),
      disable: (worker) =>
        confirm({
          title: texts.disable.title(worker.name),
          text: texts.disable.text(worker.jobs.length),
          confirm: texts.disable.confirm,
          onConfirm: () => disable(worker),
        }),
      enable: (worker) => enable(worker),
      rotateKey: (worker) =>
        confirm({
          title: texts.rotateKey.title(worker.name),
          text: texts.rotateKey.text(worker.worker_type === "local"),
          confirm: texts.rotateKey.confirm,
          onConfirm: () => rotateKey(worker, { onSuccess: open }),
        }),
      revokeKey: (worker) =>
        confirm({
          title: texts.revokeKey.title(worker.name),
          text: texts.revokeKey.text(worker.jobs.length),
          confirm: texts.revokeKey.confirm,
          onConfirm: () => revokeKey(worker),
        }),
      remove: (worker) =>
        confirm({
          title: texts.remove.title(worker.name),
          text: texts.remove.text(worker.jobs.length, worker.status === "offline"),
          confirm: texts.remove.confirm,
          onConfirm: () => remove(worker),
        }),
    }),
    [setDraining, disable, enable, rotateKey, revokeKey, remove, open],
  );
  const made = key && keyOwner && { name: keyOwner.name, key: key.api_key };
  return { actions, newKey: { made, opened, close, forget } };
}

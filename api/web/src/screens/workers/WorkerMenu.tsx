import { Menu } from "@mantine/core";
import { Ban, CirclePause, CirclePlay, KeyRound, Power, ShieldOff, Trash2 } from "lucide-react";
import type { Worker } from "@/api/types";
import { ActionMenu } from "@/components/ActionMenu";
import type { WorkerActions } from "./useWorkerActions";

const ICON = { size: 16, "aria-hidden": true } as const;

export function WorkerMenu({ worker, actions }: { worker: Worker; actions: WorkerActions }) {
  const disabled = worker.status === "disabled";
  return (
    <ActionMenu label={`Actions for ${worker.name}`}>
      {(pick) => (
        <>
          {worker.draining ? (
            <Menu.Item leftSection={<CirclePlay {...ICON} />} onClick={pick(() => actions.endDrain(worker))}>
              Stop draining
            </Menu.Item>
          ) : (
            !disabled && (
              <Menu.Item leftSection={<CirclePause {...ICON} />} onClick={pick(() => actions.drain(worker))}>
                Drain…
              </Menu.Item>
            )
          )}
          {disabled ? (
            <Menu.Item leftSection={<Power {...ICON} />} onClick={pick(() => actions.enable(worker))}>
              Enable
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<Ban {...ICON} />} onClick={pick(() => actions.disable(worker))}>
              Disable…
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<KeyRound {...ICON} />} onClick={pick(() => actions.rotateKey(worker))}>
            Make a new key…
          </Menu.Item>
          <Menu.Item leftSection={<ShieldOff {...ICON} />} onClick={pick(() => actions.revokeKey(worker))}>
            Revoke the key…
          </Menu.Item>
          <Menu.Item leftSection={<Trash2 {...ICON} />} onClick={pick(() => actions.remove(worker))}>
            Remove…
          </Menu.Item>
        </>
      )}
    </ActionMenu>
  );
}

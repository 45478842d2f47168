import { Menu } from "@mantine/core";
import { Ban, CirclePause, CirclePlay, KeyRound, Power, ShieldOff, Trash2 } from "lucide-react";
import type { Worker } from "@/api/types";
import { ActionMenu } from "@/components/ActionMenu";
import { workersTexts } from "@/texts/workers";
import type { WorkerActions } from "./useWorkerActions";

const texts = workersTexts.menu;
const ICON = { size: 16, "aria-hidden": true } as const;

export function WorkerMenu({ worker, actions }: { worker: Worker; actions: WorkerActions }) {
  const disabled = worker.status === "disabled";
  return (
    <ActionMenu label={texts.label(worker.name)}>
      {(pick) => (
        <>
          {worker.draining ? (
            <Menu.Item leftSection={<CirclePlay {...ICON} />} onClick={pick(() => actions.endDrain(worker))}>
              {texts.stopDraining}
            </Menu.Item>
          ) : (
            !disabled && (
              <Menu.Item leftSection={<CirclePause {...ICON} />} onClick={pick(() => actions.drain(worker))}>
                {texts.drain}
              </Menu.Item>
            )
          )}
          {disabled ? (
            <Menu.Item leftSection={<Power {...ICON} />} onClick={pick(() => actions.enable(worker))}>
              {texts.enable}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<Ban {...ICON} />} onClick={pick(() => actions.disable(worker))}>
              {texts.disable}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<KeyRound {...ICON} />} onClick={pick(() => actions.rotateKey(worker))}>
            {texts.rotateKey}
          </Menu.Item>
          <Menu.Item leftSection={<ShieldOff {...ICON} />} onClick={pick(() => actions.revokeKey(worker))}>
            {texts.revokeKey}
          </Menu.Item>
          <Menu.Item leftSection={<Trash2 {...ICON} />} onClick={pick(() => actions.remove(worker))}>
            {texts.remove}
          </Menu.Item>
        </>
      )}
    </ActionMenu>
  );
}

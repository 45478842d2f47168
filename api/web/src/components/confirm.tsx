import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";
import { commonTexts } from "@/texts/common";

export interface Question {
  title: string;
  /** What will happen, and whether it can be undone. */
  text: ReactNode;
  /** The verb on the button: "Delete", "Cancel the job". */
  confirm: string;
  danger?: boolean;
  onConfirm: () => void;
}

/** Asks before something that people may not have meant. */
export function confirm({ title, text, confirm, danger = true, onConfirm }: Question): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {text}
      </Text>
    ),
    labels: { confirm, cancel: commonTexts.goBack },
    confirmProps: { color: danger ? "red.9" : undefined },
    onConfirm,
  });
}

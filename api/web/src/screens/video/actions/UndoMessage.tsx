import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Undo2 } from "lucide-react";
import { videoTexts } from "@/texts/video";

const SHOWN_MS = 15_000;

/** Says what was done and offers to undo it. */
export function showUndo(id: string, text: string, undo: () => void): void {
  notifications.show({
    id,
    autoClose: SHOWN_MS,
    color: "gray",
    closeButtonProps: { "aria-label": videoTexts.close },
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" className="any-break" lineClamp={3}>
          {text}
        </Text>
        <Button
          size="xs"
          variant="default"
          flex="none"
          leftSection={<Undo2 size={14} aria-hidden />}
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          {videoTexts.undo}
        </Button>
      </Group>
    ),
  });
}

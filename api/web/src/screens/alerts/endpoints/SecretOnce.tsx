import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { CopyLine } from "@/components/CopyLine";
import { formatTime } from "@/format/time";
import { alertsTexts } from "@/texts/alerts";

const texts = alertsTexts.secret;

interface SecretOnceProps {
  name: string;
  secret: string;
  /** Until when the one before is good as well. */
  oldUntil?: string | null;
  onClose: () => void;
}

/** The only time that the secret is shown. */
export function SecretOnce({ name, secret, oldUntil, onClose }: SecretOnceProps) {
  const button = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone with the form.
  useEffect(() => button.current?.focus(), []);
  return (
    <Stack>
      <Text size="sm" role="status">
        {texts.shownOnce(name)}
      </Text>
      <CopyLine text={secret} label={texts.copy} />
      <Text size="sm" c="dimmed">
        {texts.use}
        {oldUntil && texts.oldUntil(formatTime(oldUntil))}
      </Text>
      <Group justify="flex-end">
        <Button ref={button} onClick={onClose}>
          {texts.copied}
        </Button>
      </Group>
    </Stack>
  );
}

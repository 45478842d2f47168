import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { CopyLine } from "@/components/CopyLine";
import { formatTime } from "@/format/time";

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
        The secret of {name}. Copy it now: it is not shown again.
      </Text>
      <CopyLine text={secret} label="the secret" />
      <Text size="sm" c="dimmed">
        The receiver checks the signature of each message with it, as Standard Webhooks says.
        {oldUntil && ` The old secret is good until ${formatTime(oldUntil)}.`}
      </Text>
      <Group justify="flex-end">
        <Button ref={button} onClick={onClose}>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}

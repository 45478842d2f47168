import { Button, CloseButton, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Invitation } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { ErrorState } from "@/components/ErrorState";
import { Notice } from "@/components/Notice";
import { RowsSkeleton } from "@/components/Skeletons";
import { formatSpan } from "@/format/duration";
import { useNow } from "@/format/now";
import { secondsUntil } from "@/format/time";
import { workersTexts } from "@/texts/workers";
import { cleanAddress, isLocalAddress, joinCommand } from "./join";

const texts = workersTexts.join;

interface JoinPanelProps {
  invitation: Invitation | undefined;
  error: unknown;
  isPending: boolean;
  /** Who joined since the panel was opened. */
  joined: readonly string[];
  onAnother: () => void;
  onClose: () => void;
}

/** One command that makes another machine a worker. */
export function JoinPanel({ invitation, error, isPending, joined, onAnother, onClose }: JoinPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const another = () => {
    // The button goes away until the next command is there.
    heading.current?.focus();
    onAnother();
  };
  return (
    <Paper withBorder p="md" mb="lg" component="section" aria-labelledby="join-title">
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="xs">
        <Title order={2} size="h4" id="join-title" ref={heading} tabIndex={-1}>
          {texts.title}
        </Title>
        <CloseButton aria-label={texts.close} onClick={onClose} />
      </Group>
      {isPending && <RowsSkeleton rows={2} />}
      {!isPending && error != null && <ErrorState error={error} title={texts.failed} retry={another} />}
      {!isPending && invitation && <Join invitation={invitation} onAnother={another} />}
      <div role="status">
        {joined.length > 0 && (
          <Notice tone="good" title={texts.joined(joined.join(", "))}>
            {texts.joinedText}
          </Notice>
        )}
      </div>
    </Paper>
  );
}

function Join({ invitation, onAnother }: { invitation: Invitation; onAnother: () => void }) {
  const reached = invitation.url ?? location.origin;
  const [typed, setTyped] = useState(reached);
  const address = cleanAddress(typed);
  const now = useNow();
  const isOver = now >= Date.parse(invitation.expires_at);
  const another = (
    <Button
      variant={isOver ? "filled" : "default"}
      size="xs"
      leftSection={<RefreshCw size={14} aria-hidden />}
      onClick={onAnother}
    >
      {texts.another}
    </Button>
  );
  if (isOver) {
    return (
      <Group mb="sm">
        <Text size="sm" role="status">
          {texts.expired}
        </Text>
        {another}
      </Group>
    );
  }
  return (
    <Stack gap="sm" mb="sm">
      <Text size="sm">{texts.intro}</Text>
      <CopyLine text={joinCommand(address ?? reached, invitation.token)} label={texts.copy} />
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {texts.expiresIn(formatSpan(secondsUntil(invitation.expires_at, now)))}
        </Text>
        {another}
      </Group>
      {isLocalAddress(reached) && (
        <>
          <Notice tone="warning" title={texts.localOnly}>
            <span>
              {texts.localOnlyBefore} <code>--listen 0.0.0.0:{location.port || "80"}</code> {texts.localOnlyAfter}
            </span>
          </Notice>
          <TextInput
            label={texts.address}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={address === null && texts.wrongAddress}
            maw={420}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
          />
        </>
      )}
    </Stack>
  );
}

import { Button, CloseButton, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Invitation } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { Countdown } from "@/components/Countdown";
import { ErrorState } from "@/components/ErrorState";
import { Notice } from "@/components/Notice";
import { RowsSkeleton } from "@/components/Skeletons";
import { useNow } from "@/format/now";
import { cleanAddress, isLocalAddress, joinCommand } from "./join";

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
          Add a worker
        </Title>
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
      {isPending && <RowsSkeleton rows={2} />}
      {!isPending && error != null && <ErrorState error={error} title="There is no join command" retry={another} />}
      {!isPending && invitation && <Join invitation={invitation} onAnother={another} />}
      <div role="status">
        {joined.length > 0 && (
          <Notice tone="good" title={`${joined.join(", ")} joined`}>
            It takes jobs from now on. The command is used up: make another one for the next worker.
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
  const isOver = useNow() >= Date.parse(invitation.expires_at);
  const another = (
    <Button
      variant={isOver ? "filled" : "default"}
      size="xs"
      leftSection={<RefreshCw size={14} aria-hidden />}
      onClick={onAnother}
    >
      Make another
    </Button>
  );
  if (isOver) {
    return (
      <Group mb="sm">
        <Text size="sm" role="status">
          The command is no longer valid.
        </Text>
        {another}
      </Group>
    );
  }
  return (
    <Stack gap="sm" mb="sm">
      <Text size="sm">
        Run this on the machine that is to work for the farm. It needs the program framefarm-worker and nothing else.
      </Text>
      <CopyLine text={joinCommand(address ?? reached, invitation.token)} label="the join command" />
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          For one worker, valid for <Countdown until={invitation.expires_at} />
        </Text>
        {another}
      </Group>
      {isLocalAddress(reached) && (
        <>
          <Notice tone="warning" title="This address only works on this machine">
            <span>
              For a worker on another machine, start the server with{" "}
              <code>--listen 0.0.0.0:{location.port || "80"}</code> and give the address under which that machine
              reaches it.
            </span>
          </Notice>
          <TextInput
            label="Address of the server, as the worker reaches it"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={address === null && "This is not an address like http://192.0.2.10:8080"}
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

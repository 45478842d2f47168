import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { api } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import { tokensQuery } from "@/api/queries";
import type { Token } from "@/api/types";
import { confirm } from "@/components/confirm";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { TimeAgo } from "@/components/TimeAgo";
import { useKeepFocus } from "@/components/useKeepFocus";
import { formatTime } from "@/format/time";
import { NewTokenDialog } from "./NewTokenDialog";
import { Section } from "./Section";
import classes from "./Settings.module.css";
import { scopeLabel } from "./scopes";

/** Keys for programs that use the API. */
export function Tokens() {
  const tokens = useQuery(tokensQuery());
  const [opened, dialog] = useDisclosure(false);
  return (
    <Section
      id="tokens"
      title="API tokens"
      description="For programs and scripts that use the API. A token is shown once, when it is made."
      action={
        <Button size="sm" leftSection={<Plus size={16} aria-hidden />} onClick={dialog.open}>
          New token
        </Button>
      }
    >
      {tokens.isPending && <RowsSkeleton rows={2} />}
      {tokens.isError && (
        <ErrorState error={tokens.error} title="The tokens could not be loaded" retry={() => tokens.refetch()} />
      )}
      {tokens.data && <TokenList tokens={tokens.data.items} />}
      <NewTokenDialog opened={opened} onClose={dialog.close} />
    </Section>
  );
}

function TokenList({ tokens }: { tokens: readonly Token[] }) {
  const revoke = useAction({
    run: async ({ id }: Token) => {
      await api.DELETE("/api/tokens/{id}", { params: { path: { id } } });
    },
    done: (_, { name }) => `The token ${name} is revoked.`,
    failed: "The token was not revoked",
    touches: [keys.tokens, keys.audits],
  });
  const list = useKeepFocus<HTMLDivElement>(tokens);
  const ask = (token: Token) =>
    confirm({
      title: `Revoke ${token.name}`,
      text: "Programs that use this token are refused from now on. This cannot be undone.",
      confirm: "Revoke the token",
      onConfirm: () => revoke.mutate(token),
    });
  return (
    <div ref={list}>
      {tokens.length === 0 && (
        <Text size="sm" c="dimmed">
          No tokens yet. Make one for each program, so that each can be revoked alone.
        </Text>
      )}
      <ul className={classes.tokens}>
        {tokens.map((token) => (
          <li key={token.id} className={classes.token} data-row={token.id}>
            <div>
              <div className={classes.name}>{token.name}</div>
              <div className={classes.note}>
                {scopeLabel(token.scope)}
                {token.collection && ` to ${token.collection}`} · made <TimeAgo time={token.created_at} /> ·{" "}
                {token.last_used_at ? (
                  <>
                    last used <TimeAgo time={token.last_used_at} />
                  </>
                ) : (
                  "never used"
                )}
                {token.expires_at && ` · expires ${formatTime(token.expires_at)}`}
              </div>
            </div>
            <Button size="xs" variant="default" aria-label={`Revoke ${token.name}`} onClick={() => ask(token)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

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
import { settingsTexts } from "@/texts/settings";
import { NewTokenDialog } from "./NewTokenDialog";
import { Section } from "./Section";
import classes from "./Settings.module.css";
import { scopeLabel } from "./scopes";

const texts = settingsTexts.tokens;

/** Keys for programs that use the API. */
export function Tokens() {
  const tokens = useQuery(tokensQuery());
  const [opened, dialog] = useDisclosure(false);
  return (
    <Section
      id="tokens"
      title={texts.title}
      description={texts.description}
      action={
        <Button size="sm" leftSection={<Plus size={16} aria-hidden />} onClick={dialog.open}>
          {texts.newToken}
        </Button>
      }
    >
      {tokens.isPending && <RowsSkeleton rows={2} />}
      {tokens.isError && <ErrorState error={tokens.error} title={texts.loadError} retry={() => tokens.refetch()} />}
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
    done: (_, { name }) => texts.revoked(name),
    failed: texts.revokeFailed,
    touches: [keys.tokens, keys.audits],
  });
  const list = useKeepFocus<HTMLDivElement>(tokens);
  const ask = (token: Token) =>
    confirm({
      title: texts.revokeTitle(token.name),
      text: texts.revokeText,
      confirm: texts.revokeConfirm,
      onConfirm: () => revoke.mutate(token),
    });
  return (
    <div ref={list}>
      {tokens.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      )}
      <ul className={classes.tokens}>
        {tokens.map((token) => (
          <li key={token.id} className={classes.token} data-row={token.id}>
            <div>
              <div className={classes.name}>{token.name}</div>
              <div className={classes.note}>
                {scopeLabel(token.scope)}
                {token.collection && texts.toCollection(token.collection)} · {texts.created}{" "}
                <TimeAgo time={token.created_at} /> ·{" "}
                {token.last_used_at ? (
                  <>
                    {texts.lastUsed} <TimeAgo time={token.last_used_at} />
                  </>
                ) : (
                  texts.neverUsed
                )}
                {token.expires_at && ` · ${texts.expires(formatTime(token.expires_at))}`}
              </div>
            </div>
            <Button size="xs" variant="default" aria-label={texts.revokeLabel(token.name)} onClick={() => ask(token)}>
              {texts.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

import { Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Ban, KeyRound, PenLine, Play, Send, Trash2 } from "lucide-react";
import type { Endpoint } from "@/api/types";
import { ActionMenu } from "@/components/ActionMenu";
import { BusyButton } from "@/components/BusyButton";
import { Countdown } from "@/components/Countdown";
import { SecretDialog } from "@/components/SecretDialog";
import { ToneBadge } from "@/components/StatusBadge";
import { useNow } from "@/format/now";
import { asSentence } from "@/format/sentence";
import { alertsTexts } from "@/texts/alerts";
import classes from "../Alerts.module.css";
import { chosenWords } from "../alertWords";
import { receiverWords } from "../recognise";
import { useDefaultAlerts } from "../useDefaultAlerts";
import { EndpointDialog } from "./EndpointDialog";
import { endpointState } from "./endpointState";
import { shownSecret } from "./shownSecret";
import { TestOutcome } from "./TestOutcome";
import { useEndpointActions } from "./useEndpointActions";

const texts = alertsTexts.endpoint;

export function EndpointRow({ endpoint }: { endpoint: Endpoint }) {
  const { test, rotated, ...actions } = useEndpointActions();
  const [editing, dialog] = useDisclosure(false);
  const { badge, why, until } = endpointState(endpoint, useNow(5_000));
  const defaults = useDefaultAlerts();
  const { name } = endpoint;
  return (
    <li className={classes.row} data-row={endpoint.id}>
      <div className={classes.head}>
        <div className={classes.about}>
          <div className={classes.line}>
            <span className={classes.name}>{name}</span>
            <ToneBadge {...badge} />
          </div>
          <div className={classes.note}>
            {texts.summary(receiverWords(endpoint), endpoint.address, chosenWords(endpoint.alert_types, defaults))}
          </div>
          {why && <div className={classes.note}>{asSentence(why)}</div>}
          {until && (
            <div className={classes.note}>
              {texts.retrying} <Countdown until={until} />.
            </div>
          )}
          {endpoint.from_settings && <div className={classes.note}>{texts.fromSettings}</div>}
        </div>
        <div className={classes.actions}>
          <BusyButton
            size="xs"
            variant="default"
            leftSection={<Send size={14} aria-hidden />}
            busy={test.isPending}
            aria-label={texts.sendTestTo(name)}
            onClick={() => test.mutate(endpoint)}
          >
            {texts.sendTest}
          </BusyButton>
          {!endpoint.from_settings && (
            <ActionMenu label={texts.menu(name)}>
              {(pick) => (
                <>
                  <Menu.Item leftSection={<PenLine size={16} aria-hidden />} onClick={pick(dialog.open)}>
                    {texts.edit}
                  </Menu.Item>
                  {endpoint.signed && (
                    <Menu.Item
                      leftSection={<KeyRound size={16} aria-hidden />}
                      onClick={pick(() => actions.rotate(endpoint))}
                    >
                      {texts.rotateSecret}
                    </Menu.Item>
                  )}
                  <Menu.Item
                    leftSection={endpoint.enabled ? <Ban size={16} aria-hidden /> : <Play size={16} aria-hidden />}
                    onClick={pick(() => actions.setEnabled(endpoint, !endpoint.enabled))}
                  >
                    {endpoint.enabled ? texts.disable : texts.enable}
                  </Menu.Item>
                  <Menu.Divider />
                  <Menu.Item
                    leftSection={<Trash2 size={16} aria-hidden />}
                    color="var(--mantine-color-error)"
                    onClick={pick(() => actions.remove(endpoint))}
                  >
                    {texts.delete}
                  </Menu.Item>
                </>
              )}
            </ActionMenu>
          )}
        </div>
      </div>
      <TestOutcome outcome={test.data} />
      <EndpointDialog endpoint={endpoint} opened={editing} onClose={dialog.close} />
      <SecretDialog
        opened={rotated.opened}
        onClose={rotated.close}
        onClosed={rotated.forget}
        title={alertsTexts.rotate.newSecret}
        shown={rotated.made && shownSecret(name, rotated.made.secret, rotated.made.old_secret_until)}
      />
    </li>
  );
}

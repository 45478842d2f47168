import { modals } from "@mantine/modals";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Endpoint, NewSecret } from "@/api/types";
import { confirm } from "@/components/confirm";
import { SecretOnce } from "./SecretOnce";

const at = ({ id }: Endpoint) => ({ params: { path: { id } } });
const touches = [keys.alerts.endpoints, keys.alerts.deliveries];

/** What can be done to an endpoint, with a word on how it went. */
export function useEndpointActions() {
  const test = useAction({
    run: (endpoint: Endpoint) => body(api.POST("/api/alerts/endpoints/{id}/test", at(endpoint))),
    failed: "The test was not sent",
    touches,
  });
  const change = useAction({
    run: ({ endpoint, enabled }: { endpoint: Endpoint; enabled: boolean }) =>
      body(api.PATCH("/api/alerts/endpoints/{id}", { ...at(endpoint), body: { enabled } })),
    done: (_, { endpoint, enabled }) => `${endpoint.name} is ${enabled ? "on" : "off"}.`,
    failed: "The endpoint was not switched",
    touches,
  });
  const remove = useAction({
    run: (endpoint: Endpoint) => api.DELETE("/api/alerts/endpoints/{id}", at(endpoint)),
    done: (_, { name }) => `${name} is deleted.`,
    failed: "The endpoint was not deleted",
    touches,
  });
  const rotate = useAction({
    run: (endpoint: Endpoint) => body(api.POST("/api/alerts/endpoints/{id}/rotate-secret", at(endpoint))),
    failed: "There is no new secret",
    touches,
  });
  return {
    test,
    setEnabled: (endpoint: Endpoint, enabled: boolean) => change.mutate({ endpoint, enabled }),
    remove: (endpoint: Endpoint) =>
      confirm({
        title: `Delete ${endpoint.name}`,
        text: "It is told nothing more, and its deliveries leave the log. This cannot be undone.",
        confirm: "Delete the endpoint",
        onConfirm: () => remove.mutate(endpoint),
      }),
    rotate: (endpoint: Endpoint) =>
      confirm({
        title: `New secret for ${endpoint.name}`,
        text: "For a while messages are signed with both secrets, so that the receiver can change over without a gap.",
        confirm: "Make a new secret",
        danger: false,
        onConfirm: () => rotate.mutate(endpoint, { onSuccess: (made) => showSecret(endpoint.name, made) }),
      }),
  };
}

function showSecret(name: string, { secret, old_secret_until }: NewSecret): void {
  const id = modals.open({
    title: "New secret",
    closeOnClickOutside: false,
    children: <SecretOnce name={name} secret={secret} oldUntil={old_secret_until} onClose={() => modals.close(id)} />,
  });
}

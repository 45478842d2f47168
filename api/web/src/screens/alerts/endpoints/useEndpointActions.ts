import { useDisclosure } from "@mantine/hooks";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Endpoint } from "@/api/types";
import { confirm } from "@/components/confirm";
import { alertsTexts as texts } from "@/texts/alerts";

const at = ({ id }: Endpoint) => ({ params: { path: { id } } });
const touches = [keys.alerts.endpoints, keys.alerts.deliveries];

/** What can be done to an endpoint, with a word on how it went. */
export function useEndpointActions() {
  const test = useAction({
    run: (endpoint: Endpoint) => body(api.POST("/api/alerts/endpoints/{id}/test", at(endpoint))),
    failed: texts.test.notSent,
    touches,
  });
  const change = useAction({
    run: ({ endpoint, enabled }: { endpoint: Endpoint; enabled: boolean }) =>
      body(api.PATCH("/api/alerts/endpoints/{id}", { ...at(endpoint), body: { enabled } })),
    done: (_, { endpoint: { name }, enabled }) => (enabled ? texts.enable.enabled(name) : texts.enable.disabled(name)),
    failed: texts.enable.failed,
    touches,
  });
  const remove = useAction({
    run: (endpoint: Endpoint) => api.DELETE("/api/alerts/endpoints/{id}", at(endpoint)),
    done: (_, { name }) => texts.delete.done(name),
    failed: texts.delete.failed,
    touches,
  });
  const rotate = useAction({
    run: (endpoint: Endpoint) => body(api.POST("/api/alerts/endpoints/{id}/rotate-secret", at(endpoint))),
    failed: texts.rotate.failed,
    touches,
  });
  const [opened, dialog] = useDisclosure(false);
  return {
    test,
    /** The secret that `rotate` made, and whether it is still to be seen. */
    rotated: { made: rotate.data, opened, close: dialog.close, forget: rotate.reset },
    setEnabled: (endpoint: Endpoint, enabled: boolean) => change.mutate({ endpoint, enabled }),
    remove: (endpoint: Endpoint) =>
      confirm({
        title: texts.delete.title(endpoint.name),
        text: texts.delete.text,
        confirm: texts.delete.confirm,
        onConfirm: () => remove.mutate(endpoint),
      }),
    rotate: (endpoint: Endpoint) =>
      confirm({
        title: texts.rotate.title(endpoint.name),
        text: texts.rotate.text,
        confirm: texts.rotate.confirm,
        danger: false,
        onConfirm: () => rotate.mutate(endpoint, { onSuccess: dialog.open }),
      }),
  };
}

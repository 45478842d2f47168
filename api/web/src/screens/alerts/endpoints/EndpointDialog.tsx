import { Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import type { Endpoint } from "@/api/types";
import { alertsTexts as texts } from "@/texts/alerts";
import { useDefaultAlerts } from "../useDefaultAlerts";
import { EndpointForm } from "./EndpointForm";
import type { EndpointValues } from "./endpointValues";
import { changeOf, newOf } from "./endpointValues";
import { SecretOnce } from "./SecretOnce";

interface EndpointDialogProps {
  /** A new one if absent. */
  endpoint?: Endpoint;
  opened: boolean;
  onClose: () => void;
}

export function EndpointDialog({ endpoint, opened, onClose }: EndpointDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={endpoint ? texts.form.titleEdit(endpoint.name) : texts.form.titleNew}
      size="lg"
      closeOnClickOutside={false}
    >
      <Content endpoint={endpoint} onClose={onClose} />
    </Modal>
  );
}

function Content({ endpoint, onClose }: Pick<EndpointDialogProps, "endpoint" | "onClose">) {
  const client = useQueryClient();
  const defaults = useDefaultAlerts();
  const save = useMutation({
    mutationFn: (values: EndpointValues) => (endpoint ? change(endpoint, changeOf(values, defaults)) : create(values)),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: keys.alerts.endpoints });
      if (!made.secret) onClose();
    },
  });
  if (save.data?.secret) return <SecretOnce name={save.data.name} secret={save.data.secret} onClose={onClose} />;
  return (
    <EndpointForm
      endpoint={endpoint}
      defaults={defaults}
      saving={save.isPending}
      error={save.error}
      onSave={save.mutate}
      onCancel={onClose}
    />
  );
}

interface Saved {
  name: string;
  /** Of a new one that signs. */
  secret: string | null;
}

async function create(values: EndpointValues): Promise<Saved> {
  const { endpoint, secret } = await body(api.POST("/api/alerts/endpoints", { body: newOf(values) }));
  return { name: endpoint.name, secret: secret ?? null };
}

async function change({ id }: Endpoint, change: ReturnType<typeof changeOf>): Promise<Saved> {
  const { name } = await body(api.PATCH("/api/alerts/endpoints/{id}", { params: { path: { id } }, body: change }));
  return { name, secret: null };
}

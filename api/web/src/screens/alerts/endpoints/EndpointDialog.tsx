import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import type { Endpoint } from "@/api/types";
import { SecretDialog } from "@/components/SecretDialog";
import { alertsTexts as texts } from "@/texts/alerts";
import { useDefaultAlerts } from "../useDefaultAlerts";
import { EndpointForm } from "./EndpointForm";
import type { EndpointValues } from "./endpointValues";
import { changeOf, newOf } from "./endpointValues";
import { shownSecret } from "./shownSecret";

interface EndpointDialogProps {
  /** A new one if absent. */
  endpoint?: Endpoint;
  opened: boolean;
  onClose: () => void;
}

export function EndpointDialog({ endpoint, opened, onClose }: EndpointDialogProps) {
  const client = useQueryClient();
  const defaults = useDefaultAlerts();
  const save = useMutation({
    mutationFn: (values: EndpointValues) => (endpoint ? change(endpoint, changeOf(values, defaults)) : create(values)),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: keys.alerts.endpoints });
      if (!made.secret) onClose();
    },
  });
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      onClosed={save.reset}
      title={endpoint ? texts.form.titleEdit(endpoint.name) : texts.form.titleNew}
      size="lg"
      isMaking={save.isPending}
      shown={save.data?.secret ? shownSecret(save.data.name, save.data.secret) : undefined}
    >
      <EndpointForm
        endpoint={endpoint}
        defaults={defaults}
        saving={save.isPending}
        error={save.error}
        onSave={save.mutate}
        onCancel={onClose}
      />
    </SecretDialog>
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

import { Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import type { Collection } from "@/api/types";
import { collectionsTexts as texts } from "@/texts/collections";
import { CollectionForm } from "./CollectionForm";
import { type CollectionValues, rulesOf } from "./collectionValues";

interface CollectionDialogProps {
  /** A new one if absent. */
  collection?: Collection;
  opened: boolean;
  onClose: () => void;
}

export function CollectionDialog({ collection, opened, onClose }: CollectionDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={collection ? texts.form.titleEdit(collection.name) : texts.form.titleNew}
      size="lg"
      closeOnClickOutside={false}
    >
      <Content collection={collection} onClose={onClose} />
    </Modal>
  );
}

function Content({ collection, onClose }: Pick<CollectionDialogProps, "collection" | "onClose">) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (values: CollectionValues) => {
      const rules = rulesOf(values);
      if (!collection) return body(api.POST("/api/collections", { body: { name: values.name.trim(), ...rules } }));
      const { name } = collection;
      return body(api.PATCH("/api/collections/{name}", { params: { path: { name } }, body: rules }));
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.collections });
      onClose();
    },
  });
  return (
    <CollectionForm
      collection={collection}
      saving={save.isPending}
      error={save.error}
      onSave={save.mutate}
      onCancel={onClose}
    />
  );
}

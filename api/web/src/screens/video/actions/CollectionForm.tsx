import { Autocomplete } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormButtons } from "./FormButtons";
import { knownCollections } from "./lists";
import { useSaving } from "./useSaving";

interface CollectionFormProps {
  collection: string | null;
  save: (collection: string | null) => Promise<boolean>;
  close: () => void;
}

export function CollectionForm({ collection: old, save, close }: CollectionFormProps) {
  const client = useQueryClient();
  const [names] = useState(() => knownCollections(client));
  const [name, setName] = useState(old ?? "");
  const wanted = name.trim() || null;
  const { saving, onSubmit } = useSaving(() => (wanted === old ? Promise.resolve(true) : save(wanted)), close);
  return (
    <form onSubmit={onSubmit}>
      <Autocomplete
        label="Collection"
        description="A new name makes a new collection. Leave it empty for none."
        data={names}
        value={name}
        onChange={setName}
        maxLength={100}
        data-autofocus
      />
      <FormButtons submit="Save" saving={saving} close={close} />
    </form>
  );
}

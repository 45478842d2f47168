import { useState } from "react";
import { CollectionPicker } from "@/components/CollectionPicker";
import { videoTexts } from "@/texts/video";
import { FormButtons } from "./FormButtons";
import { useSaving } from "./useSaving";

interface CollectionFormProps {
  collection: string | null;
  save: (collection: string | null) => Promise<boolean>;
  close: () => void;
}

export function CollectionForm({ collection: old, save, close }: CollectionFormProps) {
  const [name, setName] = useState(old ?? "");
  const wanted = name.trim() || null;
  const { saving, onSubmit } = useSaving(() => (wanted === old ? Promise.resolve(true) : save(wanted)), close);
  return (
    <form onSubmit={onSubmit}>
      <CollectionPicker
        label={videoTexts.collectionDialog.field}
        description={videoTexts.collectionDialog.hint}
        value={name}
        onChange={setName}
        data-autofocus
      />
      <FormButtons submit={videoTexts.save} saving={saving} close={close} />
    </form>
  );
}

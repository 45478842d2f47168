import { TextInput } from "@mantine/core";
import { useState } from "react";
import { videoTexts } from "@/texts/video";
import { FormButtons } from "./FormButtons";
import { useSaving } from "./useSaving";

export const TITLE_LIMIT = 300;

interface RenameFormProps {
  title: string;
  save: (title: string) => Promise<boolean>;
  close: () => void;
}

export function RenameForm({ title: old, save, close }: RenameFormProps) {
  const [title, setTitle] = useState(old);
  const wanted = title.trim();
  const { saving, onSubmit } = useSaving(() => (wanted === old ? Promise.resolve(true) : save(wanted)), close);
  return (
    <form onSubmit={onSubmit}>
      <TextInput
        label={videoTexts.renameDialog.field}
        value={title}
        maxLength={TITLE_LIMIT}
        data-autofocus
        onChange={(event) => setTitle(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
      />
      <FormButtons submit={videoTexts.save} saving={saving} disabled={wanted === ""} close={close} />
    </form>
  );
}

import { type FormEvent, useState } from "react";

/** A form that closes when what it asked for was done. */
export function useSaving(save: () => Promise<boolean>, close: () => void) {
  const [saving, setSaving] = useState(false);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setSaving(true);
    const saved = await save();
    setSaving(false);
    if (saved) close();
  };
  return { saving, onSubmit };
}

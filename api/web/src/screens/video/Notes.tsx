import { Info } from "lucide-react";
import type { Note } from "@/api/types";
import { Notice } from "@/components/Notice";

/** What was left out or done differently when the video was made. */
export function Notes({ notes }: { notes: readonly Note[] }) {
  return notes.map(({ text }) => (
    <Notice key={text} tone="neutral" icon={<Info size={20} aria-hidden />}>
      {text}
    </Notice>
  ));
}

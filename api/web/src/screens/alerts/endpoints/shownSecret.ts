import type { ShownSecret } from "@/components/SecretDialog";
import { formatTime } from "@/format/time";
import { alertsTexts } from "@/texts/alerts";

const texts = alertsTexts.secret;

/** `oldUntil`: until when the one before is good as well. */
export function shownSecret(name: string, secret: string, oldUntil?: string | null): ShownSecret {
  const use = oldUntil ? texts.use + texts.oldUntil(formatTime(oldUntil)) : texts.use;
  return { secret, about: texts.shownOnce(name), label: texts.copy, use };
}

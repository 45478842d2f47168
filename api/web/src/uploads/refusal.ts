/** Why an upload failed, in the server's words where it had any. */
import { commonTexts } from "@/texts/common";
import { uploadTexts } from "@/texts/upload";

interface Answer {
  status: number;
  text: string;
}

export function refusalText(answer: Answer | null): string {
  if (!answer || answer.status === 0) return uploadTexts.connectionLost;
  if (answer.status === 401) return commonTexts.sessionEnded;
  return detailOf(answer.text) ?? commonTexts.serverResponded(answer.status);
}

function detailOf(text: string): string | null {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === "string" && detail !== "" ? detail : null;
  } catch {
    return null;
  }
}

/** A full disk does not empty itself within a minute; whatever else is the server's fault may pass. */
export function isFinal(status: number): boolean {
  return status === 507;
}

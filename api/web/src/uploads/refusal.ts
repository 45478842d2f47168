/** Why an upload failed, in the server's words where it had any. */

const LOST = "The connection was lost. What was sent is kept: retry to go on from there.";

interface Answer {
  status: number;
  text: string;
}

export function refusalText(answer: Answer | null): string {
  if (!answer || answer.status === 0) return LOST;
  return detailOf(answer.text) ?? `The server answered ${answer.status}.`;
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

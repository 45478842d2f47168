/** What kind of receiver an address belongs to; the server decides in the same way. */
import type { Endpoint, EndpointKind } from "@/api/types";
import { alertsTexts as texts } from "@/texts/alerts";

export const endpointKindWords: Record<EndpointKind, string> = texts.kinds;

/** The endpoint of the settings may go unsigned. */
export function receiverWords({ kind, signed }: Pick<Endpoint, "kind" | "signed">): string {
  return kind === "generic" && !signed ? texts.unsignedWebhook : endpointKindWords[kind];
}

export function recognise(url: string): EndpointKind {
  const address = parsed(url);
  if (!address) return "generic";
  const { hostname, pathname } = address;
  if (hostname === "hooks.slack.com" || hostname === "hooks.slack-gov.com") return "slack";
  const isDiscord = /^((ptb|canary)\.)?discord(app)?\.com$/.test(hostname);
  return isDiscord && pathname.startsWith("/api/") ? "discord" : "generic";
}

/** Null if it may be tried; the server knows more. */
export function urlProblem(url: string): string | null {
  const address = parsed(url);
  if (!address || !/^https?:$/.test(address.protocol)) return texts.form.wrongUrl;
  return null;
}

function parsed(url: string): URL | null {
  try {
    return new URL(url.trim());
  } catch {
    return null;
  }
}

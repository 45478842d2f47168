/** What the form holds, and what is sent of it. */
import type { AlertType, Endpoint, EndpointKind } from "@/api/types";
import { alertsTexts as texts } from "@/texts/alerts";
import { isUsual, usualTypes } from "../alertWords";
import { urlProblem } from "../recognise";

export interface EndpointValues {
  /** Empty while an old one is changed: its address is a secret and not shown. */
  url: string;
  name: string;
  /** `auto`: as the address says. It stays as it is for life. */
  kind: EndpointKind | "auto";
  which: "usual" | "some";
  types: AlertType[];
}

export function valuesOf(endpoint: Endpoint | undefined): EndpointValues {
  if (!endpoint) return { url: "", name: "", kind: "auto", which: "usual", types: [...usualTypes] };
  const { name, kind, alert_types: types } = endpoint;
  return { url: "", name, kind, which: isUsual(types) ? "usual" : "some", types };
}

export function newOf({ url, name, kind, ...chosen }: EndpointValues) {
  return {
    url: url.trim(),
    name: name.trim() || new URL(url.trim()).hostname,
    ...(kind !== "auto" && { kind }),
    alert_types: typesOf(chosen),
  };
}

export function changeOf({ url, name, ...chosen }: EndpointValues) {
  return { ...(url.trim() !== "" && { url: url.trim() }), name: name.trim(), alert_types: typesOf(chosen) };
}

export const problems = (isNew: boolean) => ({
  url: (url: string) => (!isNew && url.trim() === "" ? null : urlProblem(url)),
  name: (name: string) => (!isNew && name.trim() === "" ? texts.form.nameMissing : null),
  types: (types: AlertType[], { which }: EndpointValues) =>
    which === "some" && types.length === 0 ? texts.form.selectOne : null,
});

function typesOf({ which, types }: Pick<EndpointValues, "which" | "types">): AlertType[] {
  return which === "usual" ? [...usualTypes] : types;
}

/** What the form holds, and what is sent of it. */
import type { AlertType, Endpoint, EndpointKind } from "@/api/types";
import { alertsTexts as texts } from "@/texts/alerts";
import { areDefaults } from "../alertWords";
import { urlProblem } from "../recognise";

export interface EndpointValues {
  /** Empty while an old one is changed: its address is a secret and not shown. */
  url: string;
  name: string;
  /** `auto`: as the address says. It stays as it is for life. */
  kind: EndpointKind | "auto";
  which: "default" | "some";
  types: AlertType[];
}

export function valuesOf(endpoint: Endpoint | undefined, defaults: readonly AlertType[]): EndpointValues {
  if (!endpoint) return { url: "", name: "", kind: "auto", which: "default", types: [...defaults] };
  const { name, kind, alert_types: types } = endpoint;
  return { url: "", name, kind, which: areDefaults(types, defaults) ? "default" : "some", types };
}

export function newOf({ url, name, kind, which, types }: EndpointValues) {
  return {
    url: url.trim(),
    name: name.trim() || new URL(url.trim()).hostname,
    ...(kind !== "auto" && { kind }),
    ...(which === "some" && { alert_types: types }),
  };
}

export function changeOf({ url, name, which, types }: EndpointValues, defaults: readonly AlertType[]) {
  return {
    ...(url.trim() !== "" && { url: url.trim() }),
    name: name.trim(),
    alert_types: which === "some" ? types : [...defaults],
  };
}

export const problems = (isNew: boolean) => ({
  url: (url: string) => (!isNew && url.trim() === "" ? null : urlProblem(url)),
  name: (name: string) => (!isNew && name.trim() === "" ? texts.form.nameMissing : null),
  types: (types: AlertType[], { which }: EndpointValues) =>
    which === "some" && types.length === 0 ? texts.form.selectOne : null,
});

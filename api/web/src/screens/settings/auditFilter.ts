import type { AuditFilter } from "@/api/keys";
import type { SettingsSearch } from "@/search";

/** What stands for everybody who is no program of the farm. */
export const PEOPLE = "people";

/** What the server is asked for. A kind that somebody chose is shown even if it comes in crowds. */
export function auditFilter({ everything, who, kind, search }: SettingsSearch): AuditFilter {
  return {
    ...(!everything && !kind && { important: true }),
    ...(who === PEOPLE ? { people: true } : who && { actor: who }),
    ...(kind && { kind }),
    ...(search && { search }),
  };
}

import type { ErrorClass } from "@/api/types";

/** Which jobs of a tab are shown, and changed when all that match are. */
export interface JobFilter {
  search?: string;
  worker?: string;
  error_class?: ErrorClass;
}

export function isFiltered({ search, worker, error_class }: JobFilter): boolean {
  return search !== undefined || worker !== undefined || error_class !== undefined;
}

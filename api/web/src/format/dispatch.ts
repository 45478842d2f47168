import type { ServiceHealth } from "@/api/types";

/** How waiting workers hear of jobs. */
export function dispatchWords({ mode, in_force, redis_retry_seconds }: ServiceHealth["dispatch"]): string {
  if (in_force !== "database") return `Through Redis (${mode})`;
  if (mode === "database") return "From the database";
  const next = redis_retry_seconds ? `; Redis is tried again in ${redis_retry_seconds} s` : "";
  return `From the database: Redis is down${next}`;
}

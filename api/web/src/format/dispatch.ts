import type { ServiceHealth } from "@/api/types";
import { commonTexts } from "@/texts/common";

const texts = commonTexts.dispatch;

/** How jobs reach waiting workers. */
export function dispatchWords({ mode, in_force, redis_retry_seconds }: ServiceHealth["dispatch"]): string {
  if (in_force !== "database") return texts.redis(mode);
  if (mode === "database") return texts.database;
  return redis_retry_seconds ? texts.redisDownRetrying(redis_retry_seconds) : texts.redisDown;
}

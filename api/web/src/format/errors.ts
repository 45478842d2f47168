/** The classes of failures, in a few words each. */
import type { ErrorClass } from "@/api/types";

export const errorClassWords: Record<ErrorClass, string> = {
  input_missing: "Source is gone",
  input_denied: "Source cannot be read",
  input_invalid: "Not a usable video",
  encoder: "Encoder failed",
  gpu_busy: "GPU was busy",
  transfer: "Network failed",
  storage: "Storage failed",
  timeout: "Took too long",
  internal: "Defect of Framefarm",
  poison: "Takes workers down",
};

const advice: Record<ErrorClass, string> = {
  input_missing: "Upload the file again.",
  input_denied: "Let the server read the file, then retry.",
  input_invalid: "Check that the file plays, then upload it again.",
  encoder: "Retry, or look at the worker if it comes back.",
  gpu_busy: "Retry later, or add a worker.",
  transfer: "Check the network between the worker and the server, then retry.",
  storage: "Check that the disk has room and works, then retry.",
  timeout: "Retry. If it comes back, look at the worker.",
  internal: "Retry. If it comes back, report it with the technical lines.",
  poison: "Look at the logs of the workers before it is tried again.",
};

/** What to do next about a failure. */
export function errorAdvice(errorClass: ErrorClass): string {
  return advice[errorClass];
}

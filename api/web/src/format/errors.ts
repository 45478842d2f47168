/** The classes of failures, in a few words each: for badges and lists. */
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

export function isErrorClass(name: string): name is ErrorClass {
  return Object.hasOwn(errorClassWords, name);
}

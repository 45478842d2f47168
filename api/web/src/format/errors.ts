/** The classes of failures, in a few words each: for badges and lists. */
import type { ErrorClass } from "@/api/types";
import { commonTexts } from "@/texts/common";

export const errorClassWords: Record<ErrorClass, string> = commonTexts.errorClasses;

export function isErrorClass(name: string): name is ErrorClass {
  return Object.hasOwn(errorClassWords, name);
}

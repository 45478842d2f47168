import { LockOpen } from "lucide-react";
import { commonTexts } from "@/texts/common";
import { Notice } from "./Notice";

const texts = commonTexts.unencrypted;

/** Nothing where the connection is encrypted or does not leave this machine: browsers call both secure. */
export function UnencryptedNotice() {
  if (window.isSecureContext) return null;
  return (
    <Notice tone="warning" title={texts.title} icon={<LockOpen size={20} aria-hidden />}>
      <span>{texts.risk}</span>
      <span>{texts.remedy}</span>
    </Notice>
  );
}

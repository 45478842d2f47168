import { LockOpen } from "lucide-react";
import { Notice } from "./Notice";

/** Nothing where the connection is encrypted or does not leave this machine: browsers call both secure. */
export function UnencryptedNotice() {
  if (window.isSecureContext) return null;
  return (
    <Notice tone="warning" title="Not encrypted" icon={<LockOpen size={20} aria-hidden />}>
      <span>Whoever is on the network between can read the password, tokens and keys.</span>
      <span>Serve Framefarm with --tls-cert and --tls-key, or through a proxy with https.</span>
    </Notice>
  );
}

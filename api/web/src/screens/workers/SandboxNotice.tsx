import { Box } from "@mantine/core";
import { ShieldAlert } from "lucide-react";
import type { Worker } from "@/api/types";
import { Notice } from "@/components/Notice";
import { isOnline } from "@/format/workers";
import { workersTexts as texts } from "@/texts/workers";

const MOST = 5;

/** Uploads may be made by attackers: admins should know which workers lack a layer of the sandbox. */
export function SandboxNotice({ workers }: { workers: readonly Worker[] }) {
  const incomplete = incompleteSandboxes(workers);
  if (incomplete.length === 0) return null;
  const more = incomplete.length - MOST;
  return (
    <Box mb="md">
      <Notice tone="warning" title={texts.sandboxNotice.title} icon={<ShieldAlert size={20} aria-hidden />}>
        {incomplete.slice(0, MOST).map((text) => (
          <span key={text}>{text}.</span>
        ))}
        {more > 0 && <span>{texts.sandboxNotice.more(more)}</span>}
        <span>{texts.sandboxNotice.text}</span>
      </Notice>
    </Box>
  );
}

/** Which layers of the sandbox the online workers lack, a sentence each. */
export function incompleteSandboxes(workers: readonly Worker[]): string[] {
  return workers
    .filter(({ status }) => isOnline(status))
    .flatMap(({ name, conditions }) =>
      conditions.filter(({ code }) => code === "sandbox_incomplete").map(({ detail }) => `${name}: ${detail}`),
    );
}

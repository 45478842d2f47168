import { Box } from "@mantine/core";
import { ShieldAlert } from "lucide-react";
import type { Worker } from "@/api/types";
import { Notice } from "@/components/Notice";
import { count } from "@/format/count";
import { incompleteSandboxes } from "./sandbox";

const MOST = 5;

/** Uploads may be made by attackers: whoever runs the farm should know where encoders are not locked in. */
export function SandboxNotice({ workers }: { workers: readonly Worker[] }) {
  const incomplete = incompleteSandboxes(workers);
  if (incomplete.length === 0) return null;
  const more = incomplete.length - MOST;
  return (
    <Box mb="md">
      <Notice tone="warning" title="Sandbox incomplete" icon={<ShieldAlert size={20} aria-hidden />}>
        {incomplete.slice(0, MOST).map((text) => (
          <span key={text}>{text}.</span>
        ))}
        {more > 0 && <span>and {count(more, "other")}</span>}
        <span>Run “framefarm-worker doctor” on that machine to see what to do.</span>
      </Notice>
    </Box>
  );
}

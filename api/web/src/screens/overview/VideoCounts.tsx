import { SimpleGrid } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { VideoStatus } from "@/api/types";
import { StatusBadge } from "@/components/StatusBadge";
import { formatNumber } from "@/format/count";
import { overviewTexts as texts } from "@/texts/overview";
import classes from "./VideoCounts.module.css";

const statuses: readonly VideoStatus[] = ["pending", "processing", "ready", "failed"];

/** How many videos are in each state; each number leads to them. */
export function VideoCounts({ counts }: { counts: Record<VideoStatus, number> }) {
  return (
    <nav aria-label={texts.videos}>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {statuses.map((status) => (
          <Link key={status} to="/library" search={{ status }} className={classes.card}>
            <span className={classes.value}>{formatNumber(counts[status])}</span> <StatusBadge video={status} />
          </Link>
        ))}
      </SimpleGrid>
    </nav>
  );
}

import { Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { healthQuery, versionQuery } from "@/api/queries";
import type { ServiceHealth } from "@/api/types";
import { Bar } from "@/components/Bar";
import { ErrorState } from "@/components/ErrorState";
import { Notice } from "@/components/Notice";
import { RowsSkeleton } from "@/components/Skeletons";
import { formatBytes } from "@/format/bytes";
import { dispatchWords } from "@/format/dispatch";
import { storageState } from "@/format/storage";
import { Section } from "./Section";
import classes from "./Settings.module.css";

/** What this server is and how it is. */
export function About() {
  const version = useQuery(versionQuery());
  const health = useQuery(healthQuery());
  return (
    <Section id="about" title="About this server">
      {health.isPending && <RowsSkeleton rows={3} height={24} />}
      {health.isError && (
        <ErrorState
          error={health.error}
          title="The state of the server could not be loaded"
          retry={() => health.refetch()}
        />
      )}
      <Stack gap="md">
        {health.data?.degraded.map((what) => (
          <Notice key={what} tone="warning" title="Something needs a look">
            {what}
          </Notice>
        ))}
        <dl className={classes.facts}>
          <Fact name="Version">{version.data?.version ?? "…"}</Fact>
          <Fact name="Database">{health.data ? engineName(health.data.database.engine) : "…"}</Fact>
          {health.data && <Fact name="Jobs reach workers">{dispatchWords(health.data.dispatch)}</Fact>}
          {health.data && (
            <Fact name="Storage">
              <Storage {...health.data.storage} />
            </Fact>
          )}
          <Fact name="API">
            <Anchor size="sm" href="/api/docs" target="_blank" rel="noreferrer">
              Documentation <ExternalLink size={14} aria-hidden style={{ verticalAlign: -2 }} />
              <span className="visually-hidden"> (opens in a new tab)</span>
            </Anchor>
          </Fact>
        </dl>
      </Stack>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Storage(storage: ServiceHealth["storage"]) {
  const { usedPercent, tone, words } = storageState(storage);
  const { free_bytes: free, total_bytes: total } = storage;
  return (
    <Stack gap={6} maw={420}>
      {usedPercent !== null && <Bar percent={usedPercent} tone={tone} label="Storage in use" height={8} />}
      {free !== null && total !== null && (
        <span>
          {formatBytes(free)} free of {formatBytes(total)}
        </span>
      )}
      <span className={classes.note}>{words}</span>
    </Stack>
  );
}

const engines: Record<string, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

function engineName(engine: string): string {
  return engines[engine] ?? engine;
}

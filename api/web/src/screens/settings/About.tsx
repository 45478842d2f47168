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
import { settingsTexts } from "@/texts/settings";
import { Section } from "./Section";
import classes from "./Settings.module.css";

const texts = settingsTexts.about;

/** What this server is and how it is. */
export function About() {
  const version = useQuery(versionQuery());
  const health = useQuery(healthQuery());
  return (
    <Section id="about" title={texts.title}>
      {health.isPending && <RowsSkeleton rows={3} height={24} />}
      {health.isError && <ErrorState error={health.error} title={texts.loadError} retry={() => health.refetch()} />}
      <Stack gap="md">
        {health.data?.degraded.map((what) => (
          <Notice key={what} tone="warning" title={texts.degraded}>
            {what}
          </Notice>
        ))}
        <dl className={classes.facts}>
          <Fact name={texts.version}>{version.data?.version ?? texts.loading}</Fact>
          <Fact name={texts.database}>{health.data ? engineName(health.data.database.engine) : texts.loading}</Fact>
          {health.data && <Fact name={texts.dispatch}>{dispatchWords(health.data.dispatch)}</Fact>}
          {health.data && (
            <Fact name={texts.storage}>
              <Storage {...health.data.storage} />
            </Fact>
          )}
          <Fact name={texts.api}>
            <Anchor size="sm" href="/api/docs" target="_blank" rel="noreferrer">
              {texts.documentation} <ExternalLink size={14} aria-hidden style={{ verticalAlign: -2 }} />
              <span className="visually-hidden">{texts.newTab}</span>
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
      {usedPercent !== null && <Bar percent={usedPercent} tone={tone} label={texts.storageUsed} height={8} />}
      {free !== null && total !== null && <span>{texts.free(formatBytes(free), formatBytes(total))}</span>}
      <span className={classes.note}>{words}</span>
    </Stack>
  );
}

const engines: Record<string, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

function engineName(engine: string): string {
  return engines[engine] ?? engine;
}

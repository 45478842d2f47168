import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Cpu, Plus } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { api, body } from "@/api/client";
import { versionQuery, workersQuery } from "@/api/queries";
import type { Worker } from "@/api/types";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { SecretDialog } from "@/components/SecretDialog";
import { CardsSkeleton } from "@/components/Skeletons";
import { useGrowing } from "@/components/useGrowing";
import { useKeepFocus } from "@/components/useKeepFocus";
import { isOnline } from "@/format/workers";
import { workersTexts as texts } from "@/texts/workers";
import { JoinPanel } from "./JoinPanel";
import { inWorkerOrder } from "./order";
import { SandboxNotice } from "./SandboxNotice";
import { useNewcomers } from "./useNewcomers";
import { useWorkerActions } from "./useWorkerActions";
import { WorkerCard } from "./WorkerCard";
import classes from "./WorkerCard.module.css";

const { keyText: about, copy: label, keyUse: use } = texts.rotateKey;
const keyTexts = { about, label, use };

/** About a screen of cards. */
const STEP = 12;

export function WorkersScreen() {
  const workers = useQuery(workersQuery());
  const version = useQuery(versionQuery());
  const { actions, newKey } = useWorkerActions();
  const invitation = useMutation({ mutationFn: () => body(api.POST("/api/workers/invitations")) });
  const [joining, setJoining] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const joined = useNewcomers(workers.data?.items);
  const sorted = useMemo(() => inWorkerOrder(workers.data?.items ?? []), [workers.data]);
  const shown = useGrowing(sorted.length, STEP);
  const grid = useKeepFocus<HTMLDivElement>(sorted);

  const open = () => {
    joined.reset();
    setJoining(true);
    invitation.mutate();
  };
  const close = () => {
    setJoining(false);
    opener.current?.focus();
  };

  return (
    <>
      <PageHeader
        title={texts.title}
        actions={
          <Button ref={opener} leftSection={<Plus size={16} aria-hidden />} onClick={open} aria-expanded={joining}>
            {texts.add}
          </Button>
        }
      >
        {workers.data && summary(workers.data.items)}
      </PageHeader>
      {joining && (
        <JoinPanel
          invitation={invitation.data}
          error={invitation.error}
          isPending={invitation.isPending}
          joined={joined.names}
          onAnother={open}
          onClose={close}
        />
      )}
      {!joining && (
        <div className="visually-hidden" role="status">
          {joined.names.length > 0 && texts.joined(joined.names.join(", "))}
        </div>
      )}
      {workers.isPending && <CardsSkeleton cards={3} height={220} />}
      {workers.isError && <ErrorState error={workers.error} title={texts.loadError} retry={() => workers.refetch()} />}
      {workers.data && sorted.length === 0 && !joining && <NoWorkers onAdd={open} />}
      <SandboxNotice workers={sorted} />
      <div className={classes.grid} ref={grid}>
        {sorted.slice(0, shown).map((worker) => (
          <WorkerCard key={worker.id} worker={worker} actions={actions} serverVersion={version.data?.version} />
        ))}
        {sorted.slice(shown).map(({ id }) => (
          <div key={id} className={classes.card} aria-hidden />
        ))}
      </div>
      <SecretDialog
        opened={newKey.opened}
        onClose={newKey.close}
        onClosed={newKey.forget}
        title={newKey.made && texts.rotateKey.keyTitle(newKey.made.name)}
        shown={newKey.made && { ...keyTexts, secret: newKey.made.key }}
      />
    </>
  );
}

function NoWorkers({ onAdd }: { onAdd: () => void }) {
  return (
    <EmptyState icon={Cpu} title={texts.empty.title} action={<Button onClick={onAdd}>{texts.empty.create}</Button>}>
      {texts.empty.text}
    </EmptyState>
  );
}

function summary(workers: readonly Worker[]): string {
  const online = workers.filter(({ status }) => isOnline(status));
  const jobs = online.reduce((total, worker) => total + worker.jobs.length, 0);
  if (workers.length === 0) return texts.none;
  return texts.summary(online.length, workers.length, jobs);
}

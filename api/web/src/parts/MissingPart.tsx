import { Button, Loader } from "@mantine/core";
import { RotateCw } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Notice } from "@/components/Notice";
import { PageHeader } from "@/components/PageHeader";
import { shellTexts } from "@/texts/shell";
import { useUploadStatus } from "@/uploads/status";
import { loadPatiently } from "./load";
import { reloadOnce } from "./reloadOnce";

const texts = shellTexts.missingPart;

interface MissingPartProps {
  /** Rejects if it did not work. */
  load: () => Promise<void>;
  onLoaded: () => void;
  /** Whether the page may be reloaded for it without a question: nothing is typed on a screen that is not there yet. */
  isScreen: boolean;
}

/** In place of a part of the page that could not be loaded: goes on trying, and says what it waits for. */
export function MissingPart({ load, onLoaded, isScreen }: MissingPartProps) {
  const [state, setState] = useState<"trying" | "away" | "gone">("trying");
  const newest = useRef({ load, onLoaded });
  newest.current = { load, onLoaded };
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    loadPatiently(() => newest.current.load(), { signal, onAway: () => setState("away") }).then(
      () => !signal.aborted && newest.current.onLoaded(),
      () => !signal.aborted && setState("gone"),
    );
    return () => leaving.abort();
  }, []);
  if (state === "gone") return <Outdated isScreen={isScreen} />;
  if (state === "trying") return <Loader m="md" role="status" aria-label={texts.loading} />;
  return (
    <Message isScreen={isScreen} title={texts.away}>
      {isScreen ? texts.screenOpens : texts.partLoads}
    </Message>
  );
}

interface MessageProps {
  isScreen: boolean;
  title: string;
  action?: ReactNode;
  children: string;
}

/** A screen has a heading, also while there is nothing else of it. */
function Message({ isScreen, title, action, children }: MessageProps) {
  return (
    <>
      {isScreen && <PageHeader title={title} />}
      <Notice tone="warning" title={isScreen ? undefined : title} role="status" action={action}>
        <span>{children}</span>
      </Notice>
    </>
  );
}

/** The server has other parts by now: a reload gets them, as soon as it costs nobody anything. */
function Outdated({ isScreen }: Pick<MissingPartProps, "isScreen">) {
  const { unfinished } = useUploadStatus();
  const [isStuck, setStuck] = useState(false);
  useEffect(() => {
    if (isScreen && unfinished === 0 && !reloadOnce()) setStuck(true);
  }, [isScreen, unfinished]);
  const text = isScreen && unfinished > 0 ? texts.afterUploads(unfinished) : texts.reload;
  return (
    <Message
      isScreen={isScreen}
      title={isStuck ? texts.stuck : texts.gone}
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<RotateCw size={14} aria-hidden />}
          onClick={() => location.reload()}
        >
          {shellTexts.crash.reload}
        </Button>
      }
    >
      {isStuck ? texts.stuckText : text}
    </Message>
  );
}

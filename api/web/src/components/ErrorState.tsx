import { Button } from "@mantine/core";
import { RotateCw } from "lucide-react";
import { ApiProblem, messageOf } from "@/api/problem";
import { commonTexts } from "@/texts/common";
import { Notice } from "./Notice";

interface ErrorStateProps {
  error: unknown;
  /** What failed: "Could not load videos". */
  title?: string;
  retry?: () => void;
}

export function ErrorState({ error, title = commonTexts.loadingFailed, retry }: ErrorStateProps) {
  const requestId = error instanceof ApiProblem ? error.requestId : null;
  return (
    <Notice tone="bad" title={title} role="alert">
      <span>{messageOf(error)}</span>
      {requestId && <small>{commonTexts.requestId(requestId)}</small>}
      {retry && (
        <Button size="xs" variant="default" leftSection={<RotateCw size={14} aria-hidden />} onClick={retry}>
          {commonTexts.tryAgain}
        </Button>
      )}
    </Notice>
  );
}

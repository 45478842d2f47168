import { Button } from "@mantine/core";
import { RotateCw } from "lucide-react";
import { ApiProblem, messageOf } from "@/api/problem";
import { Notice } from "./Notice";

interface ErrorStateProps {
  error: unknown;
  /** What could not be shown: "The videos could not be loaded". */
  title?: string;
  retry?: () => void;
}

export function ErrorState({ error, title = "This could not be loaded", retry }: ErrorStateProps) {
  const requestId = error instanceof ApiProblem ? error.requestId : null;
  return (
    <Notice tone="bad" title={title} role="alert">
      <span>{messageOf(error)}</span>
      {requestId && <small>Request {requestId}</small>}
      {retry && (
        <Button size="xs" variant="default" leftSection={<RotateCw size={14} aria-hidden />} onClick={retry}>
          Try again
        </Button>
      )}
    </Notice>
  );
}

import { Button } from "@mantine/core";
import { SearchX } from "lucide-react";
import { EmptyState } from "@/components/EmptyState";
import { queueTexts as texts } from "@/texts/queue";

export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title={texts.empty.noMatch}
      action={
        <Button variant="default" onClick={onClear}>
          {texts.filters.clear}
        </Button>
      }
    >
      {texts.empty.noMatchText}
    </EmptyState>
  );
}

import { Button } from "@mantine/core";
import { SearchX } from "lucide-react";
import { EmptyState } from "@/components/EmptyState";

export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title="No job matches"
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      }
    >
      Try a part of the title, or another worker.
    </EmptyState>
  );
}

import { Group, Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import { commonTexts } from "@/texts/common";

/** Rows in place of a list that is on its way. */
export function RowsSkeleton({ rows = 6, height = 44 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" aria-busy>
      <VisuallyHidden>{commonTexts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <Skeleton key={row} height={height} />
      ))}
    </Stack>
  );
}

export function CardsSkeleton({ cards = 4, height = 110 }: { cards?: number; height?: number }) {
  return (
    <Group gap="md" aria-busy grow>
      <VisuallyHidden>{commonTexts.loading}</VisuallyHidden>
      {Array.from({ length: cards }, (_, card) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike
        <Skeleton key={card} height={height} miw={140} />
      ))}
    </Group>
  );
}

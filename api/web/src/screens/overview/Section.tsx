import { Card, Group, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface SectionProps {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

/** A card with a heading that names it for screen readers. */
export function Section({ title, aside, children }: SectionProps) {
  const id = useId();
  return (
    <Card component="section" withBorder aria-labelledby={id} padding="md">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Card>
  );
}

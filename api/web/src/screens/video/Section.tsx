import { Group, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface SectionProps {
  title: string;
  note?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, note, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" align="center" mb="xs" gap="xs">
        <div>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {note && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </section>
  );
}

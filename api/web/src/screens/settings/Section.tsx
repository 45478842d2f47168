import { Group, Paper, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionProps {
  id: string;
  title: string;
  children: ReactNode;
  description?: ReactNode;
  action?: ReactNode;
}

/** A part of the settings with its own heading. */
export function Section({ id, title, description, action, children }: SectionProps) {
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <div style={{ flex: "1 1 220px" }}>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed" component="div">
              {description}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Paper>
  );
}

import { Center, Stack, Text, Title } from "@mantine/core";
import { Inbox } from "lucide-react";
import type { ReactNode } from "react";

interface EmptyStateProps {
  title: string;
  /** What to do next. */
  children?: ReactNode;
  action?: ReactNode;
  icon?: typeof Inbox;
}

export function EmptyState({ title, children, action, icon: Icon = Inbox }: EmptyStateProps) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" gap="xs" maw={460} ta="center">
        <Icon size={36} strokeWidth={1.4} aria-hidden color="var(--mantine-color-dimmed)" />
        <Title order={2} size="h4">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" component="div">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}

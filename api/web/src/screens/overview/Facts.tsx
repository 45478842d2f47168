import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Names and values, one under the other. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <Stack component="dl" gap={6} m={0}>
      {children}
    </Stack>
  );
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="md" wrap="nowrap">
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} fw={600} className="numbers" ta="right">
        {children}
      </Text>
    </Group>
  );
}

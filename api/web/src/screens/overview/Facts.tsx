import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Facts.module.css";

/** Names and values, one under the other. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
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

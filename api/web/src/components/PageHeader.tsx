import { Group, Stack, Text, Title } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { takeNavigation } from "@/shell/navigation";

interface PageHeaderProps {
  title: string;
  /** One line under the title. */
  children?: ReactNode;
  actions?: ReactNode;
  /** Puts something beside the heading, or in its place; the heading itself must stay on the page. */
  around?: (heading: ReactNode) => ReactNode;
}

/** The h1 of a screen. It sets the title of the window, and after a navigation the focus goes to it. */
export function PageHeader({ title, children, actions, around = (heading) => heading }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();

  useEffect(() => {
    document.title = `${title} · Framefarm`;
  }, [title]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another page, also on the same screen
  useEffect(() => {
    if (takeNavigation()) heading.current?.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg">
      <Stack gap={2} miw={0} flex="1 1 240px">
        {around(
          <Title order={1} size="h2" ref={heading} tabIndex={-1} className="any-break">
            {title}
          </Title>,
        )}
        {children && (
          <Text c="dimmed" component="div">
            {children}
          </Text>
        )}
      </Stack>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

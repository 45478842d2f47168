import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { commonTexts } from "@/texts/common";

interface PageHeaderProps {
  title: string;
  /** One line under the title. */
  children?: ReactNode;
  actions?: ReactNode;
  /** Puts something beside the heading, or in its place; the heading itself must stay on the page. */
  around?: (heading: ReactNode) => ReactNode;
}

/** The h1 of a screen. It sets the title of the window, and takes the focus after a navigation. */
export function PageHeader({ title, children, actions, around = (heading) => heading }: PageHeaderProps) {
  useEffect(() => {
    document.title = commonTexts.windowTitle(title);
  }, [title]);

  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg">
      <Stack gap={2} miw={0} flex="1 1 240px">
        {around(
          <Title order={1} size="h2" tabIndex={-1} className="any-break">
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

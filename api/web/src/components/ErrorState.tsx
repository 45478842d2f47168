import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CircleAlert, RotateCw } from "lucide-react";
import { ApiProblem, messageOf } from "@/api/problem";

interface ErrorStateProps {
  error: unknown;
  /** What could not be shown: "The videos could not be loaded". */
  title?: string;
  retry?: () => void;
}

export function ErrorState({ error, title = "This could not be loaded", retry }: ErrorStateProps) {
  const requestId = error instanceof ApiProblem ? error.requestId : null;
  return (
    <Alert color="red" variant="light" title={title} icon={<CircleAlert aria-hidden />} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="any-break">
          {messageOf(error)}
        </Text>
        <Group gap="md">
          {retry && (
            <Button size="xs" variant="default" leftSection={<RotateCw size={14} aria-hidden />} onClick={retry}>
              Try again
            </Button>
          )}
          {requestId && (
            <Text size="xs" c="dimmed" className="any-break">
              Request {requestId}
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

import { Button, Container, Group } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorState } from "@/components/ErrorState";

/** In place of a screen that broke. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Container size="sm" py="xl">
      <ErrorState error={error} title="This page could not be shown" retry={again} />
      <Group mt="md">
        <Button variant="subtle" onClick={() => location.reload()}>
          Load the page anew
        </Button>
      </Group>
    </Container>
  );
}

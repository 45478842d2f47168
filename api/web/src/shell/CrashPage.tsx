import { Button, Container, Group } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorState } from "@/components/ErrorState";
import { shellTexts } from "@/texts/shell";

/** In place of a screen that broke. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Container size="sm" py="xl">
      <ErrorState error={error} title={shellTexts.crash.title} retry={again} />
      <Group mt="md">
        <Button variant="subtle" onClick={() => location.reload()}>
          {shellTexts.crash.reload}
        </Button>
      </Group>
    </Container>
  );
}

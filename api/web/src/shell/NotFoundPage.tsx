import { Container } from "@mantine/core";
import { SearchX } from "lucide-react";
import { EmptyState } from "@/components/EmptyState";
import { TextLink } from "@/components/links";
import { PageHeader } from "@/components/PageHeader";

export function NotFoundPage() {
  return (
    <Container size="sm" py="xl">
      <PageHeader title="Page not found" />
      <EmptyState
        title="There is nothing at this address"
        icon={SearchX}
        action={<TextLink to="/">Go to the overview</TextLink>}
      >
        The link may be old, or the address mistyped.
      </EmptyState>
    </Container>
  );
}

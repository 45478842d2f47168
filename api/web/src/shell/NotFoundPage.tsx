import { Anchor, Container } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { EmptyState } from "@/components/EmptyState";
import { PageHeader } from "@/components/PageHeader";

export function NotFoundPage() {
  return (
    <Container size="sm" py="xl">
      <PageHeader title="Page not found" />
      <EmptyState
        title="There is nothing at this address"
        icon={SearchX}
        action={
          <Anchor component={Link} to="/">
            Go to the overview
          </Anchor>
        }
      >
        The link may be old, or the address mistyped.
      </EmptyState>
    </Container>
  );
}

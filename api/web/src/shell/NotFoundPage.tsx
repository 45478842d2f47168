import { Container } from "@mantine/core";
import { SearchX } from "lucide-react";
import { EmptyState } from "@/components/EmptyState";
import { TextLink } from "@/components/links";
import { PageHeader } from "@/components/PageHeader";
import { shellTexts } from "@/texts/shell";

const texts = shellTexts.notFound;

export function NotFoundPage() {
  return (
    <Container size="sm" py="xl">
      <PageHeader title={texts.title} />
      <EmptyState title={texts.message} icon={SearchX} action={<TextLink to="/">{texts.link}</TextLink>}>
        {texts.hint}
      </EmptyState>
    </Container>
  );
}

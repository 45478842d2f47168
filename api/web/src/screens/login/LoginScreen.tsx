import { Card, Center, Group, Text } from "@mantine/core";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { PageHeader } from "@/components/PageHeader";
import logo from "@/favicon.svg";
import { shellTexts } from "@/texts/shell";
import { LoginForm } from "./LoginForm";

const route = getRouteApi("/login");

export function LoginScreen() {
  const { next } = route.useSearch();
  const router = useRouter();
  return (
    <Center component="main" mih="100dvh" p="md">
      <Card withBorder w="100%" maw={380} padding="xl">
        <Group mb="xs" gap="xs">
          <img src={logo} alt="" width={32} height={32} />
          <Text fw={700}>{shellTexts.product}</Text>
        </Group>
        <PageHeader title={shellTexts.login.title} />
        <LoginForm onLoggedIn={() => router.history.replace(next ?? "/")} />
      </Card>
    </Center>
  );
}

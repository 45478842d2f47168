import { Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { messageOf } from "@/api/problem";
import { Notice } from "@/components/Notice";
import { PageHeader } from "@/components/PageHeader";
import { UnencryptedNotice } from "@/components/UnencryptedNotice";
import logo from "@/favicon.svg";
import { queryClient } from "@/queryClient";
import { shellTexts } from "@/texts/shell";

const route = getRouteApi("/login");
const texts = shellTexts.login;

export function LoginScreen() {
  const { next } = route.useSearch();
  const router = useRouter();
  const password = useRef<HTMLInputElement>(null);
  const [refusals, setRefusals] = useState(0);
  const form = useForm({ mode: "uncontrolled", initialValues: { password: "" } });
  const logIn = useMutation({
    mutationFn: (password: string) => body(api.POST("/api/login", { body: { password } })),
    onSuccess: (identity) => {
      queryClient.setQueryData(keys.me, identity);
      router.history.replace(next ?? "/");
    },
    onError: () => setRefusals((times) => times + 1),
  });

  useEffect(() => password.current?.focus(), []);

  return (
    <Center component="main" mih="100dvh" p="md">
      <Card withBorder w="100%" maw={380} padding="xl">
        <Group mb="xs" gap="xs">
          <img src={logo} alt="" width={32} height={32} />
          <Text fw={700}>{shellTexts.product}</Text>
        </Group>
        <PageHeader title={texts.title} />
        <form onSubmit={form.onSubmit(({ password }) => logIn.mutate(password))}>
          <Stack>
            <UnencryptedNotice />
            {/* Password managers store a password under a name; there is one user, so it is given and hidden. */}
            <TextInput
              name="username"
              autoComplete="username"
              defaultValue="admin"
              readOnly
              tabIndex={-1}
              aria-hidden
              className="visually-hidden"
            />
            <PasswordInput
              key={form.key("password")}
              {...form.getInputProps("password")}
              name="password"
              label={texts.password}
              autoComplete="current-password"
              required
              withAsterisk={false}
              ref={password}
              visibilityToggleButtonProps={{ "aria-label": texts.togglePassword }}
            />
            {logIn.isError && (
              <Notice key={refusals} tone="bad" role="alert">
                {messageOf(logIn.error)}
              </Notice>
            )}
            <Button type="submit" loading={logIn.isPending}>
              {texts.submit}
            </Button>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}

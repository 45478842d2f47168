import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import { messageOf } from "@/api/problem";
import { sessionRestored } from "@/api/session";
import { Notice } from "@/components/Notice";
import { UnencryptedNotice } from "@/components/UnencryptedNotice";
import { queryClient } from "@/queryClient";
import { shellTexts } from "@/texts/shell";

const texts = shellTexts.login;
/** Esc closes no dialog below this form. */
const keepsEscape = { "data-mantine-stop-propagation": true };

/** Asks for the password, on a screen of its own or above another. */
export function LoginForm({ onLoggedIn }: { onLoggedIn?: () => void }) {
  const password = useRef<HTMLInputElement>(null);
  const [refusals, setRefusals] = useState(0);
  const form = useForm({ mode: "uncontrolled", initialValues: { password: "" } });
  const logIn = useMutation({
    mutationFn: (password: string) => body(api.POST("/api/login", { body: { password } })),
    onSuccess: (identity) => {
      queryClient.setQueryData(keys.me, identity);
      sessionRestored();
      onLoggedIn?.();
    },
    onError: () => setRefusals((times) => times + 1),
  });

  useEffect(() => password.current?.focus(), []);

  return (
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
          {...keepsEscape}
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
        <Button type="submit" loading={logIn.isPending} {...keepsEscape}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  );
}

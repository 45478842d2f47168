import { Button, Group, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import type { Scope } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { SecretDialog, type ShownSecret } from "@/components/SecretDialog";
import { settingsTexts } from "@/texts/settings";
import { scopes } from "./scopes";
import { expiryChoices, type NewTokenValues, tokenRequest } from "./tokenRequest";

const texts = settingsTexts.newToken;
const LONGEST_NAME = 100;

interface NewTokenDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Asks for a name and a scope, then shows the secret. */
export function NewTokenDialog({ opened, onClose }: NewTokenDialogProps) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (token: NewTokenValues) => body(api.POST("/api/tokens", { body: tokenRequest(token, new Date()) })),
    // The live stream, which readers hear too, does not tell of tokens.
    onSuccess: () => Promise.all([keys.tokens, keys.audits].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      onClosed={create.reset}
      title={texts.title}
      isMaking={create.isPending}
      shown={create.data && shownOf(create.data)}
    >
      <NewToken onCreate={create.mutate} isCreating={create.isPending} error={create.error} onCancel={onClose} />
    </SecretDialog>
  );
}

function shownOf({ name, token }: { name: string; token: string }): ShownSecret {
  return {
    secret: token,
    about: texts.created(name),
    label: texts.copy,
    use: (
      <>
        {texts.header} <code>Authorization: Bearer …</code>
      </>
    ),
  };
}

interface NewTokenProps {
  onCreate: (values: NewTokenValues) => void;
  isCreating: boolean;
  error: unknown;
  onCancel: () => void;
}

function NewToken({ onCreate, isCreating, error, onCancel }: NewTokenProps) {
  const [scope, setScope] = useState<Scope>("read");
  const form = useForm<NewTokenValues>({
    mode: "uncontrolled",
    initialValues: { name: "", scope: "read", expires: "never", collection: "" },
    onValuesChange: (values) => setScope(values.scope),
    validate: { name: (name) => (name.trim() === "" ? texts.nameMissing : null) },
  });
  return (
    <form onSubmit={form.onSubmit(onCreate)}>
      <Stack>
        <TextInput
          key={form.key("name")}
          {...form.getInputProps("name")}
          data-autofocus
          label={texts.name}
          description={texts.nameHelp}
          maxLength={LONGEST_NAME}
          autoComplete="off"
        />
        <Radio.Group key={form.key("scope")} {...form.getInputProps("scope")} label={texts.role}>
          <Stack gap="xs" mt="xs">
            {scopes.map(({ value, label, description }) => (
              <Radio key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        {scope === "upload_only" && (
          <TextInput
            key={form.key("collection")}
            {...form.getInputProps("collection")}
            label={texts.collection}
            description={texts.collectionHelp}
            maxLength={LONGEST_NAME}
            autoComplete="off"
          />
        )}
        <Select
          key={form.key("expires")}
          {...form.getInputProps("expires")}
          label={texts.expires}
          data={expiryChoices}
          allowDeselect={false}
        />
        {error != null && <ErrorState error={error} title={texts.failed} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isCreating}>
            {texts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

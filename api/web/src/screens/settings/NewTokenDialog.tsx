import { Button, Group, Modal, Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, body } from "@/api/client";
import { keys } from "@/api/keys";
import type { Scope } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { ErrorState } from "@/components/ErrorState";
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
  return (
    <Modal opened={opened} onClose={onClose} title={texts.title} closeOnClickOutside={false}>
      <NewToken onClose={onClose} />
    </Modal>
  );
}

function NewToken({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (token: NewTokenValues) => body(api.POST("/api/tokens", { body: tokenRequest(token, new Date()) })),
    // The live stream, which readers hear too, does not tell of tokens.
    onSuccess: () => Promise.all([keys.tokens, keys.audits].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const [scope, setScope] = useState<Scope>("read");
  const form = useForm<NewTokenValues>({
    mode: "uncontrolled",
    initialValues: { name: "", scope: "read", expires: "never", collection: "" },
    onValuesChange: (values) => setScope(values.scope),
    validate: { name: (name) => (name.trim() === "" ? texts.nameMissing : null) },
  });
  if (create.data) return <MadeToken {...create.data} onClose={onClose} />;
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
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
        {create.isError && <ErrorState error={create.error} title={texts.failed} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {texts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The only time that the secret is shown. */
function MadeToken({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone with the form.
  useEffect(() => button.current?.focus(), []);
  return (
    <Stack>
      <Text size="sm" role="status">
        {texts.created(name)}
      </Text>
      <CopyLine text={token} label={texts.copy} />
      <Text size="sm" c="dimmed">
        {texts.header} <code>Authorization: Bearer …</code>
      </Text>
      <Group justify="flex-end">
        <Button ref={button} onClick={onClose}>
          {texts.copied}
        </Button>
      </Group>
    </Stack>
  );
}

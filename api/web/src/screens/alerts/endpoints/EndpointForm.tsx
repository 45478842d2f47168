import { Button, Group, NativeSelect, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Endpoint } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { endpointKindWords, recognise, urlProblem } from "../recognise";
import { ChooseAlerts } from "./ChooseAlerts";
import { type EndpointValues, problems, valuesOf } from "./endpointValues";

const LONGEST_NAME = 100;

interface EndpointFormProps {
  endpoint: Endpoint | undefined;
  saving: boolean;
  error: unknown;
  onSave: (values: EndpointValues) => void;
  onCancel: () => void;
}

export function EndpointForm({ endpoint, saving, error, onSave, onCancel }: EndpointFormProps) {
  const form = useForm<EndpointValues>({
    mode: "controlled",
    initialValues: valuesOf(endpoint),
    validate: problems(endpoint === undefined),
  });
  const { url, which } = form.values;
  return (
    <form onSubmit={form.onSubmit(onSave)} noValidate>
      <Stack>
        <TextInput
          {...form.getInputProps("url")}
          data-autofocus
          label="Address"
          description={
            endpoint
              ? `It goes to ${endpoint.address}. Leave this empty to keep the address as it is.`
              : "Of an incoming webhook of Slack or Discord, or of a program of yours."
          }
          placeholder="https://"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
        />
        {!endpoint && (
          <NativeSelect
            {...form.getInputProps("kind")}
            label="Kind"
            data={[
              { value: "auto", label: autoLabel(urlProblem(url) === null ? url : null) },
              ...Object.entries(endpointKindWords).map(([value, label]) => ({ value, label })),
            ]}
          />
        )}
        <TextInput
          {...form.getInputProps("name")}
          label="Name"
          description={endpoint ? undefined : "How it is called on this page. Empty takes it from the address."}
          maxLength={LONGEST_NAME}
          autoComplete="off"
        />
        <Radio.Group {...form.getInputProps("which")} label="What is told">
          <Stack gap="xs" mt="xs">
            <Radio value="usual" label="All problems" description="Everything but good news." />
            <Radio value="some" label="Only what I choose" />
          </Stack>
        </Radio.Group>
        {which === "some" && <ChooseAlerts {...form.getInputProps("types")} />}
        {error != null && (
          <ErrorState error={error} title={endpoint ? "The endpoint was not changed" : "The endpoint was not added"} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Close
          </Button>
          <Button type="submit" loading={saving}>
            {endpoint ? "Save" : "Add the endpoint"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function autoLabel(url: string | null): string {
  return url ? `By the address: ${endpointKindWords[recognise(url)]}` : "By the address";
}

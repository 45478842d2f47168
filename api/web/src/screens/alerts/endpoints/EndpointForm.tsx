import { Button, Group, NativeSelect, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { AlertType, Endpoint } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { alertsTexts } from "@/texts/alerts";
import { endpointKindWords, recognise, urlProblem } from "../recognise";
import { ChooseAlerts } from "./ChooseAlerts";
import { type EndpointValues, problems, valuesOf } from "./endpointValues";

const texts = alertsTexts.form;
const LONGEST_NAME = 100;

interface EndpointFormProps {
  endpoint: Endpoint | undefined;
  defaults: readonly AlertType[];
  saving: boolean;
  error: unknown;
  onSave: (values: EndpointValues) => void;
  onCancel: () => void;
}

export function EndpointForm({ endpoint, defaults, saving, error, onSave, onCancel }: EndpointFormProps) {
  const form = useForm<EndpointValues>({
    mode: "controlled",
    initialValues: valuesOf(endpoint, defaults),
    validate: problems(endpoint === undefined),
  });
  const { url, which } = form.values;
  return (
    <form onSubmit={form.onSubmit(onSave)} noValidate>
      <Stack>
        <TextInput
          {...form.getInputProps("url")}
          data-autofocus
          label={texts.url}
          description={endpoint ? texts.urlHelpEdit(endpoint.address) : texts.urlHelpNew}
          placeholder={texts.urlPlaceholder}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
        />
        {!endpoint && (
          <NativeSelect
            {...form.getInputProps("kind")}
            label={texts.kind}
            data={[
              { value: "auto", label: autoLabel(urlProblem(url) === null ? url : null) },
              ...Object.entries(endpointKindWords).map(([value, label]) => ({ value, label })),
            ]}
          />
        )}
        <TextInput
          {...form.getInputProps("name")}
          label={texts.name}
          description={endpoint ? undefined : texts.nameHelp}
          maxLength={LONGEST_NAME}
          autoComplete="off"
        />
        <Radio.Group {...form.getInputProps("which")} label={texts.events}>
          <Stack gap="xs" mt="xs">
            <Radio value="default" label={texts.allProblems} description={texts.allProblemsHelp} />
            <Radio value="some" label={texts.selected} />
          </Stack>
        </Radio.Group>
        {which === "some" && <ChooseAlerts {...form.getInputProps("types")} />}
        {error != null && <ErrorState error={error} title={endpoint ? texts.notChanged : texts.notAdded} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={saving}>
            {endpoint ? texts.save : texts.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function autoLabel(url: string | null): string {
  return url ? texts.autoDetected(endpointKindWords[recognise(url)]) : texts.autoDetect;
}

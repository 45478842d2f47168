import { Checkbox, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { AlertType } from "@/api/types";
import { alertsTexts as texts } from "@/texts/alerts";
import { alertGroups, alertLabel, alertMeaning } from "../alertWords";

interface ChooseAlertsProps {
  value?: AlertType[];
  onChange?: (chosen: AlertType[]) => void;
  error?: ReactNode;
}

export function ChooseAlerts({ value, onChange, error }: ChooseAlertsProps) {
  return (
    <Checkbox.Group
      label={texts.form.choose}
      value={value}
      onChange={(chosen) => onChange?.(chosen as AlertType[])}
      error={error}
      styles={{ label: { display: "none" } }}
      aria-label={texts.form.choose}
    >
      <Stack gap="md">
        {alertGroups.map(({ label, types }) => (
          <Stack key={label} gap={8}>
            <Text size="sm" fw={600}>
              {label}
            </Text>
            {types.map((type) => (
              <Checkbox key={type} value={type} label={alertLabel(type)} description={alertMeaning(type)} />
            ))}
          </Stack>
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

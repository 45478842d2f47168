import { Checkbox, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { alertsQuery } from "@/api/queries";
import type { AlertType } from "@/api/types";
import { alertsTexts as texts } from "@/texts/alerts";
import { alertGroups, alertLabel, alertMeaning } from "../alertWords";

interface ChooseAlertsProps {
  value?: AlertType[];
  onChange?: (chosen: AlertType[]) => void;
  error?: ReactNode;
}

export function ChooseAlerts({ value, onChange, error }: ChooseAlertsProps) {
  const thresholds = useQuery(alertsQuery()).data?.thresholds;
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
              <Checkbox key={type} value={type} label={alertLabel(type)} description={alertMeaning(type, thresholds)} />
            ))}
          </Stack>
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

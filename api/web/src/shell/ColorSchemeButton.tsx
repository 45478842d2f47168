import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { Check, Moon, Sun, SunMoon } from "lucide-react";
import { shellTexts } from "@/texts/shell";

const texts = shellTexts.colorScheme;

export const schemes = [
  { value: "light", label: texts.light, icon: Sun },
  { value: "dark", label: texts.dark, icon: Moon },
  { value: "auto", label: texts.auto, icon: SunMoon },
] as const;

export function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const chosen = schemes.find(({ value }) => value === colorScheme) ?? schemes[2];
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={texts.button(chosen.label)}>
          <chosen.icon size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={value === colorScheme ? <Check size={16} aria-label={texts.selected} /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

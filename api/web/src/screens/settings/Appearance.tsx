import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { schemes } from "@/shell/ColorSchemeButton";
import { Section } from "./Section";

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section id="appearance" title="Appearance" description="Kept in this browser.">
      <SegmentedControl
        aria-label="Colours"
        value={colorScheme}
        onChange={setColorScheme}
        data={schemes.map(({ value, label }) => ({ value, label }))}
      />
    </Section>
  );
}

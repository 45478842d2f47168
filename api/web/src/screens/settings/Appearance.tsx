import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { schemes } from "@/shell/ColorSchemeButton";
import { settingsTexts } from "@/texts/settings";
import { Section } from "./Section";

const texts = settingsTexts.appearance;

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section id="appearance" title={texts.title} description={texts.description}>
      <SegmentedControl
        aria-label={texts.colours}
        value={colorScheme}
        onChange={setColorScheme}
        data={schemes.map(({ value, label }) => ({ value, label }))}
      />
    </Section>
  );
}

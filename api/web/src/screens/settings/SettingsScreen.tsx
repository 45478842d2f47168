import { SimpleGrid, Stack } from "@mantine/core";
import { PageHeader } from "@/components/PageHeader";
import { UnencryptedNotice } from "@/components/UnencryptedNotice";
import { settingsTexts as texts } from "@/texts/settings";
import { About } from "./About";
import { Account } from "./Account";
import { Appearance } from "./Appearance";
import { Audit } from "./Audit";
import { Cleanup } from "./cleanup/Cleanup";
import { Tokens } from "./Tokens";

export function SettingsScreen() {
  return (
    <>
      <PageHeader title={texts.title} />
      <Stack gap="lg">
        <UnencryptedNotice />
        <Tokens />
        <About />
        <Cleanup />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          <Appearance />
          <Account />
        </SimpleGrid>
        <Audit />
      </Stack>
    </>
  );
}

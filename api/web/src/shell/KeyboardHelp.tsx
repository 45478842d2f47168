import { Group, Kbd, Modal, Stack, Switch, Table } from "@mantine/core";
import { shellTexts } from "@/texts/shell";
import { pages } from "./pages";
import { isMac } from "./platform";
import { useShortcutsOn } from "./shortcuts";

const texts = shellTexts.shortcuts;

const shortcuts: { keys: string[]; does: string }[] = [
  { keys: [isMac ? "⌘" : "Ctrl", "K"], does: texts.palette },
  { keys: ["/"], does: texts.search },
  ...pages.map(({ key, label }) => ({ keys: ["g", key], does: texts.goTo(label) })),
  { keys: ["?"], does: texts.help },
];

export function KeyboardHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [on, setOn] = useShortcutsOn();
  return (
    <Modal opened={opened} onClose={onClose} title={texts.title}>
      <Stack>
        <Table>
          <Table.Tbody>
            {shortcuts.map(({ keys, does }) => (
              <Table.Tr key={does}>
                <Table.Td>{does}</Table.Td>
                <Table.Td ta="right">
                  <Group gap={4} justify="flex-end" wrap="nowrap">
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label={texts.singleKey}
          description={texts.singleKeyHint}
          checked={on}
          onChange={(event) => setOn(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

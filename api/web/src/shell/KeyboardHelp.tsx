import { Group, Kbd, Modal, Stack, Switch, Table } from "@mantine/core";
import { pages } from "./pages";
import { isMac } from "./platform";
import { useShortcutsOn } from "./shortcuts";

const shortcuts: { keys: string[]; does: string }[] = [
  { keys: [isMac ? "⌘" : "Ctrl", "K"], does: "Find a page or a video" },
  { keys: ["/"], does: "Search in this list, or in the videos" },
  ...pages.map(({ key, label }) => ({ keys: ["g", key], does: `Go to ${label}` })),
  { keys: ["?"], does: "Show these keys" },
];

export function KeyboardHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [on, setOn] = useShortcutsOn();
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard">
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
          label="Use shortcuts of a single key"
          description="Switch them off if keys are pressed by accident, for example by voice control."
          checked={on}
          onChange={(event) => setOn(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

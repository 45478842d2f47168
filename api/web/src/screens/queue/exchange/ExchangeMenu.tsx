import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Download, EllipsisVertical, FileUp } from "lucide-react";
import { ImportDialog } from "./ImportDialog";

/** The queue as a file, out and in. */
export function ExchangeMenu() {
  const [importing, dialog] = useDisclosure(false);
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Tooltip label="Export and import">
            <ActionIcon variant="default" size={36} aria-label="Export and import">
              <EllipsisVertical size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href="/api/queue/export" download leftSection={<Download size={16} aria-hidden />}>
            Export the queue
          </Menu.Item>
          <Menu.Item leftSection={<FileUp size={16} aria-hidden />} onClick={dialog.open}>
            Import…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ImportDialog opened={importing} onClose={dialog.close} />
    </>
  );
}

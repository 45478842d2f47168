import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Download, EllipsisVertical, FileUp } from "lucide-react";
import { queueTexts as texts } from "@/texts/queue";
import { ImportDialog } from "./ImportDialog";

/** The queue as a file, out and in. */
export function TransferMenu() {
  const [importing, dialog] = useDisclosure(false);
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Tooltip label={texts.transfer.menu}>
            <ActionIcon variant="default" size={36} aria-label={texts.transfer.menu}>
              <EllipsisVertical size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href="/api/queue/export" download leftSection={<Download size={16} aria-hidden />}>
            {texts.transfer.exportQueue}
          </Menu.Item>
          <Menu.Item leftSection={<FileUp size={16} aria-hidden />} onClick={dialog.open}>
            {texts.transfer.import}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ImportDialog opened={importing} onClose={dialog.close} />
    </>
  );
}

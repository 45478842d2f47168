import { Button, Menu } from "@mantine/core";
import { ChevronDown } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { queueTexts as texts } from "@/texts/queue";
import { openPriorityDialog } from "./openPriorityDialog";
import { namedPriorities } from "./priority";

interface PriorityMenuProps {
  /** Of the dialog for a custom priority: "Priority of 12 jobs". */
  title: string;
  busy: boolean;
  onChosen: (priority: number) => void;
  children: ReactNode;
}

/** A button with the priorities behind it. */
export function PriorityMenu({ title, busy, onChosen, children }: PriorityMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-start" shadow="md" disabled={busy} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          ref={button}
          size="xs"
          variant="default"
          aria-disabled={busy}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          {children}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {namedPriorities.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => onChosen(value)}>
            {texts.priorities.withNumber(label, value)}
          </Menu.Item>
        ))}
        <Menu.Item
          onClick={() => {
            button.current?.focus();
            openPriorityDialog({ title, start: 0, onChosen });
          }}
        >
          {texts.menu.customPriority}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

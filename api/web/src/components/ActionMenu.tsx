import { Menu } from "@mantine/core";
import { Ellipsis } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import classes from "./ActionMenu.module.css";

/** Wraps what an item does: the focus is back on the button first, so that a dialog returns it there. */
export type Pick = (act: () => void) => () => void;

interface ActionMenuProps {
  /** What it acts on: "Actions for holiday.mp4". */
  label: string;
  /** The items, asked for when the menu is first opened. */
  children: (pick: Pick) => ReactNode;
}

/** A button with three dots. The menu behind it is only built once it is wanted: a list has a thousand of these. */
export function ActionMenu({ label, children }: ActionMenuProps) {
  const [wanted, setWanted] = useState(false);
  if (wanted) return <WantedMenu label={label}>{children}</WantedMenu>;
  return (
    <button
      type="button"
      className={classes.button}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
      <Ellipsis size={18} aria-hidden />
    </button>
  );
}

function WantedMenu({ label, children }: ActionMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  // It takes the place of the button that was pressed, and with it the focus, before it opens.
  useEffect(() => {
    button.current?.focus();
    setOpened(true);
  }, []);
  const pick: Pick = (act) => () => {
    button.current?.focus();
    act();
  };
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" shadow="md">
      <Menu.Target>
        <button type="button" ref={button} className={classes.button} aria-label={label}>
          <Ellipsis size={18} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>{children(pick)}</Menu.Dropdown>
    </Menu>
  );
}

import { ActionIcon, Burger, Button, Group, Kbd, Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Keyboard, Search } from "lucide-react";
import { shellTexts } from "@/texts/shell";
import logo from "../favicon.svg";
import { ColorSchemeButton } from "./ColorSchemeButton";
import { ConnectionStatus } from "./ConnectionStatus";
import classes from "./Header.module.css";
import { LogoutButton } from "./LogoutButton";
import { isMac } from "./platform";

const texts = shellTexts.header;

interface HeaderProps {
  menuOpened: boolean;
  onMenu: () => void;
  onFind: () => void;
  onHelp: () => void;
}

export function Header({ menuOpened, onMenu, onFind, onHelp }: HeaderProps) {
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
      <Group gap="xs" wrap="nowrap">
        <Burger
          opened={menuOpened}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={menuOpened ? texts.closeMenu : texts.openMenu}
          aria-expanded={menuOpened}
        />
        <Link to="/" className={classes.name}>
          <img src={logo} alt="" width={26} height={26} />
          <span>{shellTexts.product}</span>
        </Link>
      </Group>
      <Group gap={6} wrap="nowrap">
        <ConnectionStatus />
        <Button
          variant="default"
          size="xs"
          visibleFrom="sm"
          onClick={onFind}
          leftSection={<Search size={14} aria-hidden />}
          rightSection={<Kbd size="xs">{isMac ? "⌘ K" : "Ctrl K"}</Kbd>}
        >
          {texts.search}
        </Button>
        <ActionIcon variant="subtle" color="gray" size="lg" hiddenFrom="sm" onClick={onFind} aria-label={texts.search}>
          <Search size={18} aria-hidden />
        </ActionIcon>
        <Tooltip label={texts.shortcuts}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            visibleFrom="sm"
            onClick={onHelp}
            aria-label={texts.shortcuts}
          >
            <Keyboard size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <ColorSchemeButton />
        <LogoutButton />
      </Group>
    </Group>
  );
}

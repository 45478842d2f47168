/** Single-key shortcuts, which people can switch off (WCAG 2.1.4): voice control and stray keys would press them. */
import { useLocalStorage } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { pages } from "./pages";

const SEQUENCE_MS = 1_200;
const SEARCH_FIELD = "[data-page-search]";

export function useShortcutsOn() {
  return useLocalStorage({ key: "framefarm-shortcuts", defaultValue: true, getInitialValueInEffect: false });
}

interface Shortcuts {
  onHelp: () => void;
}

export function useShortcuts({ onHelp }: Shortcuts): void {
  const [on] = useShortcutsOn();
  const navigate = useNavigate();
  useEffect(() => {
    if (!on) return;
    let gPressedAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      const afterG = event.timeStamp - gPressedAt < SEQUENCE_MS;
      gPressedAt = event.key === "g" ? event.timeStamp : 0;
      const page = afterG ? pages.find(({ key }) => key === event.key) : undefined;
      if (page) void navigate({ to: page.to });
      else if (event.key === "/") void goToSearch(() => navigate({ to: "/library" }));
      else if (event.key === "?") onHelp();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [on, navigate, onHelp]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null;
}

/** The search field of this page, or that of the videos. */
async function goToSearch(openLibrary: () => Promise<void>): Promise<void> {
  if (focusSearch()) return;
  await openLibrary();
  for (let tries = 0; tries < 20 && !focusSearch(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>(SEARCH_FIELD);
  field?.focus();
  field?.select();
  return field !== null;
}

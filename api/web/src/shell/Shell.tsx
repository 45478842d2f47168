import { AppShell } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { Suspense, useCallback, useEffect, useState } from "react";
import { onSessionRestored } from "@/api/session";
import { resumeLive, startLive } from "@/live/start";
import { lazyPart } from "@/parts/lazyPart";
import { loadPatiently } from "@/parts/load";
import { shellTexts } from "@/texts/shell";
import { hasUnfinishedUploads } from "@/uploads/status";
import { DropAnywhere } from "./DropAnywhere";
import { Header } from "./Header";
import { KeyboardHelp } from "./KeyboardHelp";
import { Navigation } from "./Navigation";
import { SessionDialog } from "./SessionDialog";
import { useShortcuts } from "./shortcuts";

const Palette = lazyPart(() => import("./Palette").then(({ Palette }) => Palette));

/** Gone only after an update, which the next screen that is opened tells of. */
const startUploader = ({ getUploader }: typeof import("@/uploads/uploader")) => getUploader();

/** What surrounds every screen behind the login. The live stream runs as long as it is shown. */
export function Shell() {
  const client = useQueryClient();
  const [menuOpened, menu] = useDisclosure(false);
  const [helpOpened, help] = useDisclosure(false);
  const [findings, setFindings] = useState(0);
  const find = useCallback(() => setFindings((times) => times + 1), []);

  useEffect(() => startLive(client), [client]);
  useEffect(
    () =>
      onSessionRestored(() => {
        resumeLive();
        void client.invalidateQueries();
      }),
    [client],
  );
  useEffect(() => {
    // Whatever page was reloaded, its uploads go on.
    if (hasUnfinishedUploads()) void loadPatiently(() => import("@/uploads/uploader")).then(startUploader, () => {});
  }, []);
  useShortcuts({ onHelp: help.open });
  useHotkeys([["mod+K", find]], []);

  return (
    <>
      <a href="#content" className="skip-link">
        {shellTexts.skipToContent}
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !menuOpened } }}
        padding={{ base: "md", md: "lg" }}
      >
        <AppShell.Header>
          <Header menuOpened={menuOpened} onMenu={menu.toggle} onFind={find} onHelp={help.open} />
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label={shellTexts.navigation}>
          <Navigation onNavigate={menu.close} />
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1}>
          <Outlet />
        </AppShell.Main>
      </AppShell>
      <DropAnywhere />
      <SessionDialog />
      <KeyboardHelp opened={helpOpened} onClose={help.close} />
      {findings > 0 && (
        <Suspense>
          <Palette openings={findings} />
        </Suspense>
      )}
    </>
  );
}

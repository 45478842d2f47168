import { ActionIcon, Tooltip } from "@mantine/core";
import { LogOut } from "lucide-react";
import { shellTexts } from "@/texts/shell";
import { useLogOut } from "./useLogOut";

export function LogoutButton() {
  const logOut = useLogOut();
  return (
    <Tooltip label={shellTexts.header.logOut}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={shellTexts.header.logOut}
        loading={logOut.isPending}
        onClick={() => logOut.mutate(undefined)}
      >
        <LogOut size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

import { ActionIcon, Tooltip } from "@mantine/core";
import { LogOut } from "lucide-react";
import { useLogOut } from "./useLogOut";

export function LogoutButton() {
  const logOut = useLogOut();
  return (
    <Tooltip label="Log out">
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Log out"
        loading={logOut.isPending}
        onClick={() => logOut.mutate(undefined)}
      >
        <LogOut size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

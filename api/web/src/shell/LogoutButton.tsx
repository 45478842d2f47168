import { ActionIcon, Tooltip } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { api } from "@/api/client";
import { useAction } from "@/api/mutations";
import { queryClient } from "@/queryClient";

export function LogoutButton() {
  const navigate = useNavigate();
  const logOut = useAction({
    run: async () => {
      await api.POST("/api/logout");
      await navigate({ to: "/login" });
      queryClient.clear();
    },
    failed: "You are still logged in",
  });
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

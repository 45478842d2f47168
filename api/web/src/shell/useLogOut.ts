import { useNavigate } from "@tanstack/react-router";
import { api } from "@/api/client";
import { useAction } from "@/api/mutations";
import { loggedOut } from "@/api/session";
import { queryClient } from "@/queryClient";
import { shellTexts } from "@/texts/shell";

/** Ends the session and forgets what was shown in it. */
export function useLogOut() {
  const navigate = useNavigate();
  return useAction({
    run: async () => {
      await api.POST("/api/logout");
      loggedOut();
      await navigate({ to: "/login" });
      queryClient.clear();
    },
    failed: shellTexts.header.logOutFailed,
  });
}

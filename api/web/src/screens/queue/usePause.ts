import { api, body } from "@/api/client";
import { useAction } from "@/api/mutations";
import { queueKeys } from "./useJobActions";

/** Pauses (true) or resumes (false) every queue. */
export function usePause() {
  return useAction({
    run: (paused: boolean) => body(paused ? api.POST("/api/queue/pause") : api.POST("/api/queue/resume")),
    done: (_, paused) => (paused ? "The queue is paused. Running jobs go on." : "The queue goes on."),
    failed: "The queue was not switched",
    touches: queueKeys,
  });
}

import { api, body } from "@/api/client";
import { useAction } from "@/api/mutations";
import { queueTexts as texts } from "@/texts/queue";
import { queueKeys } from "./useJobActions";

/** Pauses (true) or resumes (false) every queue. */
export function usePause() {
  return useAction({
    run: (paused: boolean) => body(paused ? api.POST("/api/queue/pause") : api.POST("/api/queue/resume")),
    done: (_, paused) => (paused ? texts.pause.paused : texts.pause.resumed),
    failed: texts.pause.failed,
    touches: queueKeys,
  });
}

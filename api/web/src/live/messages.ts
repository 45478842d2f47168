/** What travels between the stream, the shared worker that holds it, and the tabs. */
import type { FarmEvent, Progress, WorkerSign } from "@/api/types";

export type StreamState = "connecting" | "open" | "reconnecting";

export type StreamMessage =
  | { type: "state"; state: StreamState; since: number }
  | { type: "change"; event: FarmEvent }
  | { type: "progress"; progress: Progress }
  | { type: "worker"; worker: WorkerSign }
  | { type: "reset" }
  | { type: "unauthorized" };

export type TabMessage = { type: "join" } | { type: "check" } | { type: "leave" };

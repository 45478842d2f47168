import { QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "@/api/problem";

/** Answers stay good because the live stream says what changed; a minute is for when it was not there. */
const STALE_MS = 60_000;

/** A definite no stays a no; only what the server could not do is tried again. */
function isWorthAnotherTry(failures: number, error: Error): boolean {
  const status = error instanceof ApiProblem ? error.status : 500;
  return failures < 2 && (status === 0 || status === 429 || status >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    // The server may be reached while the browser believes to be offline; and what is asked now must not happen later.
    queries: { staleTime: STALE_MS, retry: isWorthAnotherTry, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

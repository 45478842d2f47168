import createClient, { type Middleware } from "openapi-fetch";
import { hearServerTime } from "@/format/now";
import { commonTexts } from "@/texts/common";
import { problemFrom, unreachable } from "./problem";
import type { paths } from "./schema";
import { sessionEnded } from "./session";

/** Their callers handle a 401 themselves. */
const MAY_BE_LOGGED_OUT: readonly string[] = ["/api/login", "/api/me"];

/** Every answer that is not a success is thrown as an `ApiProblem`; a 401 also asks for a login. */
const refusalsAreErrors: Middleware = {
  async onResponse({ response, schemaPath }) {
    hearServerTime(response.headers.get("date"));
    if (response.ok) return;
    const problem = await problemFrom(response);
    if (problem.status === 401 && !MAY_BE_LOGGED_OUT.includes(schemaPath)) sessionEnded();
    throw problem;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") return error;
    return unreachable();
  },
};

export const api = createClient<paths>({ baseUrl: location.origin, credentials: "same-origin" });
api.use(refusalsAreErrors);

/** The body of an answer; what is not a success was thrown before. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  const { data } = await answer;
  if (data === undefined || data === null) throw new Error(commonTexts.emptyResponse);
  return data;
}

/** The log of a job as a text file. */
export function jobLogUrl(id: string): string {
  return `/api/queue/jobs/${encodeURIComponent(id)}/log`;
}

import { commonTexts } from "@/texts/common";

/** The server tells programs how to log in; people log in here. */
const NOT_LOGGED_IN = "unauthorized";

/** An answer that says no, in the server's words. */
export class ApiProblem extends Error {
  override name = "ApiProblem";
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;

  constructor(status: number, detail: string, code: string, requestId: string | null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

export async function problemFrom(response: Response): Promise<ApiProblem> {
  const body = await readBody(response);
  const requestId = text(body.request_id) ?? response.headers.get("x-request-id");
  const code = text(body.code) ?? "unknown";
  const detail =
    code === NOT_LOGGED_IN
      ? commonTexts.sessionEnded
      : (text(body.detail) ?? text(body.title) ?? commonTexts.serverResponded(response.status));
  return new ApiProblem(response.status, detail, code, requestId);
}

export function unreachable(): ApiProblem {
  return new ApiProblem(0, commonTexts.serverUnreachable, "unreachable", null);
}

/** What to tell people about anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message ? error.message : commonTexts.unknownError;
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}

async function readBody(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

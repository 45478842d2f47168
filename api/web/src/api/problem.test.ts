import { expect, it } from "vitest";
import { ApiProblem, messageOf, problemFrom } from "./problem";

it("speaks in the server's words", async () => {
  const answer = new Response(JSON.stringify({ detail: "The queue is paused.", code: "paused", request_id: "r-1" }), {
    status: 409,
    headers: { "content-type": "application/problem+json" },
  });
  const problem = await problemFrom(answer);
  expect(problem).toMatchObject({ status: 409, code: "paused", message: "The queue is paused.", requestId: "r-1" });
});

it("takes the request id from the header, and survives what is not a problem document", async () => {
  const answer = new Response("<html>Bad gateway</html>", { status: 502, headers: { "x-request-id": "r-2" } });
  const problem = await problemFrom(answer);
  expect(problem).toBeInstanceOf(ApiProblem);
  expect(problem).toMatchObject({ status: 502, message: "The server responded with HTTP 502.", requestId: "r-2" });
});

it("has words for anything that was thrown", () => {
  expect(messageOf(new Error("No."))).toBe("No.");
  expect(messageOf("No.")).toBe("Something went wrong.");
});

it("tells people to log in, and not how programs do", async () => {
  const detail = "Log in with POST /api/login, or send an API token: `Authorization: Bearer fft_…`.";
  const refused = (code: string) => problemFrom(new Response(JSON.stringify({ detail, code }), { status: 401 }));
  expect(await refused("unauthorized")).toMatchObject({ message: "Your session has ended. Log in to continue." });
  expect(await refused("wrong_password")).toMatchObject({ message: detail });
});

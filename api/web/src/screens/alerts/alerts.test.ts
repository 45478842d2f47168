import { describe, expect, it } from "vitest";
import type { AlertType, Endpoint, Thresholds } from "@/api/types";
import { AT, exampleEndpoint } from "@/testing/examples";
import { alertsTexts } from "@/texts/alerts";
import { alertGroups, alertLabel, alertMeaning, chosenWords } from "./alertWords";
import { attemptWords, lastAnswer } from "./deliveries/deliveryWords";
import { endpointState } from "./endpoints/endpointState";
import { changeOf, newOf, problems, valuesOf } from "./endpoints/endpointValues";
import { recognise, urlProblem } from "./recognise";

const NOW = Date.parse(AT);
const DEFAULTS: AlertType[] = ["video_failed", "disk_low", "redis_down"];
const THRESHOLDS: Thresholds = {
  queue_depth: 500,
  error_rate_percent: 25,
  no_claim_seconds: 90,
  pattern_minutes: 1,
  pattern_worker: 3,
  pattern_farm: 6,
};

it.each([
  ["https://hooks.slack.com/services/T0/B0/x", "slack"],
  ["  https://hooks.slack.com/triggers/x ", "slack"],
  ["https://discord.com/api/webhooks/1/x", "discord"],
  ["https://canary.discord.com/api/v10/webhooks/1/x", "discord"],
  ["https://discord.com/channels/1", "generic"],
  ["https://hooks.slack.com.example.org/services/x", "generic"],
  ["https://example.org/hooks.slack.com", "generic"],
  ["not an address", "generic"],
])("%s is of the kind %s", (url, kind) => expect(recognise(url)).toBe(kind));

it("only http and https URLs are accepted", () => {
  expect(urlProblem("https://example.org/hook")).toBeNull();
  for (const url of ["", "example.org", "ftp://example.org", "javascript:alert(1)"])
    expect(urlProblem(url)).toBeTruthy();
});

describe("alerts", () => {
  it("have words, also those of a newer server", () => {
    for (const type of alertGroups.flatMap(({ types }) => types)) expect(alertMeaning(type, THRESHOLDS)).toMatch(/\.$/);
    expect(alertLabel("disk_low")).toBe("Disk nearly full");
    expect(alertLabel("moon_landed" as AlertType)).toBe("Moon landed");
  });

  it("each belong to one group", () => {
    const grouped = alertGroups.flatMap(({ types }) => types);
    expect(grouped.toSorted()).toEqual(Object.keys(alertsTexts.types).toSorted());
  });

  it("are counted where there are many", () => {
    const words = (types: AlertType[]) => chosenWords(types, DEFAULTS);
    expect(words([...DEFAULTS].reverse())).toBe("All problems");
    expect(words(alertGroups.flatMap(({ types }) => types))).toBe("All alerts");
    expect(words([])).toBe("None");
    expect(words(["disk_low"])).toBe("Disk nearly full");
    expect(words(["disk_low", "redis_down"])).toBe("Disk nearly full, Redis is down");
    expect(words(["disk_low", "redis_down", "no_dequeue"])).toBe("Disk nearly full and 2 more");
    expect(chosenWords([], [])).toBe("None");
  });

  it("say what raises them, with the thresholds of the server", () => {
    expect(alertMeaning("queue_depth_high", THRESHOLDS)).toBe("More than 500 jobs are waiting.");
    expect(alertMeaning("error_rate_high", THRESHOLDS)).toContain("25%");
    expect(alertMeaning("no_dequeue", THRESHOLDS)).toContain("90 s");
    expect(alertMeaning("job_failed_pattern", THRESHOLDS)).toBe(
      "3 attempts on one worker, or 6 on all workers, failed for the same reason within 1 minute.",
    );
  });
});

describe("an endpoint", () => {
  const stateOf = (change: Partial<Endpoint>) => endpointState(exampleEndpoint(change), NOW);

  it("says why it gets nothing", () => {
    expect(stateOf({})).toMatchObject({ badge: { label: "Enabled" }, why: null });
    expect(stateOf({ enabled: false, disabled_reason: "It answered 410 Gone." })).toMatchObject({
      badge: { label: "Disabled" },
      why: "It answered 410 Gone.",
    });
    const until = new Date(NOW + 60_000).toISOString();
    expect(stateOf({ failures: 5, paused_until: until, last_error: "No answer." })).toMatchObject({
      badge: { label: "Paused" },
      why: "No answer.",
      until,
    });
    expect(stateOf({ failures: 1, paused_until: AT, last_error: "No answer." }).badge.label).toBe("Failing");
  });

  it("is sent as the server takes it", () => {
    const values = { ...valuesOf(undefined, DEFAULTS), url: " https://example.org/hook " };
    expect(newOf(values)).toEqual({
      url: "https://example.org/hook",
      name: "example.org",
    });
    expect(newOf({ ...values, name: " on call ", kind: "slack", which: "some", types: ["disk_low"] })).toEqual({
      url: "https://example.org/hook",
      name: "on call",
      kind: "slack",
      alert_types: ["disk_low"],
    });
  });

  it("keeps its address unless another one is given", () => {
    const values = valuesOf(exampleEndpoint({ alert_types: ["disk_low"] }), DEFAULTS);
    expect(values.which).toBe("some");
    expect(changeOf(values, DEFAULTS)).toEqual({ name: "on call", alert_types: ["disk_low"] });
    expect(changeOf({ ...values, url: "https://example.org/b" }, DEFAULTS)).toMatchObject({
      url: "https://example.org/b",
    });
    expect(changeOf({ ...values, which: "default" }, DEFAULTS).alert_types).toEqual(DEFAULTS);
  });

  it("is not sent with a gap in it", () => {
    const wrong = problems(true);
    expect(wrong.url("")).toBeTruthy();
    expect(problems(false).url("")).toBeNull();
    expect(wrong.types([], { ...valuesOf(undefined, DEFAULTS), which: "some" })).toBeTruthy();
    expect(wrong.types([], valuesOf(undefined, DEFAULTS))).toBeNull();
  });
});

it("attempts say how they went", () => {
  const attempt = { number: 1, at: AT, duration_ms: 120, status_code: 200, error: null };
  expect(attemptWords(attempt)).toBe("HTTP 200 (120 ms)");
  expect(attemptWords({ ...attempt, status_code: null, error: "No answer within 10 s." })).toBe(
    "No answer within 10 s (120 ms)",
  );
  expect(lastAnswer({ attempts: 0, last_status_code: null })).toBeNull();
  expect(lastAnswer({ attempts: 1, last_status_code: null })).toBe("no response");
  expect(lastAnswer({ attempts: 1, last_status_code: 503 })).toBe("HTTP 503");
});

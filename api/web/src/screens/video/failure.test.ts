import { expect, it } from "vitest";
import type { Job } from "@/api/types";
import { explain, explainVideo, technicalLines } from "./failure";

const job = (part: Partial<Job>) => part as Job;

it("says of a file that is no video what the worker said", () => {
  const { reason, advice, retryHelps } = explain("input_invalid", "the file is empty");
  expect(reason).toBe("The file is empty.");
  expect(advice).toContain("upload");
  expect(retryHelps).toBe(false);
  expect(explain("input_invalid", null).reason).toBe("The file is not a video.");
});

it("translates what only engineers understand", () => {
  expect(explain("encoder", "libx264: -12").reason).toBe("The encoder failed.");
  expect(explain("storage", "/x/y: No space left on device").advice).toContain("free space");
});

it("has words for what it does not know", () => {
  expect(explain("new_class", "odd thing").reason).toBe("Odd thing.");
  expect(explain(null, null).reason).not.toBe("");
});

it("what was cancelled is no failure", () => {
  const video = { cancelled: true, error: null };
  expect(explainVideo(video, undefined).reason).toBe("Transcoding was cancelled.");
  expect(explainVideo({ cancelled: false, error: null }, job({ status: "cancelled" })).reason).toBe(
    "Transcoding was cancelled.",
  );
});

it("takes the class from the newest job and else the words of the video", () => {
  const video = { cancelled: false, error: "Timeout after 1800s" };
  expect(explainVideo(video, job({ status: "failed", error_class: "timeout" })).reason).toBe(
    "No progress for too long.",
  );
  expect(explainVideo(video, undefined).reason).toBe("Timeout after 1800s.");
});

it("leaves out technical lines that say nothing", () => {
  expect(
    technicalLines([
      ["Job", 7],
      ["Worker", null],
      ["Error", "a\nb"],
    ]),
  ).toBe("Job: 7\nError: a\nb");
});

import { expect, it } from "vitest";
import { exampleGpu, exampleWorker } from "@/testing/examples";
import { failedGpus } from "./gpus";

it("a failed GPU is listed with its worker and the reason", () => {
  const lost = exampleGpu({ state: "lost", reason: "its driver does not answer" });
  const silent = exampleGpu({ id: "GPU-2", state: "quarantined", reason: null });
  const fine = [exampleGpu({ id: "GPU-3", state: "yielding", reason: "it is hot" }), exampleGpu({ id: "GPU-4" })];
  expect(failedGpus([exampleWorker({ name: "w1", gpus: [lost, silent, ...fine] })])).toEqual([
    "w1: test GPU (GPU-1): its driver does not answer",
    "w1: test GPU (GPU-2): quarantined",
  ]);
  expect(failedGpus([exampleWorker({ status: "offline", gpus: [lost] }), exampleWorker()])).toEqual([]);
});

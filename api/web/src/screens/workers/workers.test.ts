import { describe, expect, it } from "vitest";
import type { Worker } from "@/api/types";
import { exampleWorker } from "@/testing/examples";
import { workersTexts as texts } from "@/texts/workers";
import { encoderName, layerName, readCapabilities } from "./capabilities";
import { cleanAddress, isLocalAddress, joinCommand, shellWord } from "./join";
import { inWorkerOrder } from "./order";
import { incompleteSandboxes } from "./SandboxNotice";
import { newcomers } from "./useNewcomers";
import { formatFactor } from "./WorkerFacts";

describe("what a worker says of its machine", () => {
  it("is read as the worker writes it", () => {
    const read = readCapabilities({
      version: "0.3.0",
      cores: 8,
      memory_bytes: 16e9,
      slots: 2,
      ffmpeg: ["libavcodec 59.37"],
      encoders: ["libx264", "h264_nvenc"],
      gpus: [{ kind: "nvenc", encoders: ["h264_nvenc"] }],
      walls: { limits: "up", files: { missing: { cause: "unsupported", detail: "Landlock is not in this kernel" } } },
    });
    expect(read).toMatchObject({ version: "0.3.0", cores: 8, memoryBytes: 16e9, slots: 2 });
    expect(read.gpus).toEqual([{ name: "NVIDIA", encoders: ["h264_nvenc"] }]);
    expect(read.sandbox).toEqual({
      up: ["limits"],
      missing: [{ name: "files", reason: "Landlock is not in this kernel" }],
    });
  });

  it.each([
    [null],
    [undefined],
    [7],
    ["text"],
    [[1, 2]],
    [{ cores: "many", memory_bytes: -1, encoders: "all", gpus: {}, gpu_missing: {}, walls: [], ffmpeg: [1, null] }],
    [{ cores: Number.NaN, encoders: [null, {}], walls: null, version: 3 }],
  ])("%j says nothing and breaks nothing", (raw) => {
    expect(readCapabilities(raw)).toEqual({
      version: null,
      cores: null,
      memoryBytes: null,
      slots: null,
      encoders: [],
      gpus: [],
      gpuMissing: [],
      ffmpeg: [],
      sandbox: null,
    });
  });

  it("may be why it has no GPU", () => {
    expect(readCapabilities({ gpu_missing: ["no NVIDIA driver", 7, ""] }).gpuMissing).toEqual(["no NVIDIA driver"]);
  });

  it("strange GPUs and sandbox layers are still shown", () => {
    const { gpus, sandbox } = readCapabilities({
      gpus: ["RTX 4090", { name: "Arc A380" }, { kind: "amf" }, null],
      walls: { moat: 12, files: { missing: 5 }, syscalls: "broken", limits: { missing: "of an earlier version" } },
    });
    expect(gpus.map(({ name }) => name)).toEqual(["RTX 4090", "Arc A380", "amf", "GPU"]);
    expect(sandbox).toEqual({
      up: [],
      missing: [
        { name: "moat", reason: "no reason given" },
        { name: "files", reason: "no reason given" },
        { name: "syscalls", reason: "broken" },
        { name: "limits", reason: "of an earlier version" },
      ],
    });
    expect([layerName("moat"), encoderName("vp9"), encoderName("libx264")]).toEqual(["moat", "vp9", "H.264"]);
  });
});

describe("the join command", () => {
  it("is one line that a shell takes", () => {
    expect(joinCommand("https://farm.example.org", "ffj_a-b_C")).toBe(
      "framefarm-worker run --api https://farm.example.org --join ffj_a-b_C --scratch ./scratch",
    );
    expect(shellWord("http://[::1]:8080")).toBe("'http://[::1]:8080'");
    expect(shellWord("a'b; rm")).toBe("'a'\\''b; rm'");
  });

  it.each([
    ["http://127.0.0.1:8080", true],
    ["http://localhost", true],
    ["http://page.localhost:8080", true],
    ["http://[::1]:8080", true],
    ["http://192.0.2.10:8080", false],
    ["https://farm.example.org", false],
    ["http://127.example.org", false],
    ["nonsense", false],
  ])("%s means this machine: %s", (address, local) => expect(isLocalAddress(address)).toBe(local));

  it.each([
    ["https://farm.example.org/", "https://farm.example.org"],
    [" 192.0.2.10:8080 ", "http://192.0.2.10:8080"],
    ["farm.local/base/?x#y", "http://farm.local/base"],
    ["ftp://farm.local", null],
    ["http://user:word@farm.local", null],
    ["http://", null],
    ["", null],
    ["two words", null],
  ])("the address %j is %j", (typed, clean) => expect(cleanAddress(typed)).toBe(clean));
});

describe("the list", () => {
  it("has those that are online first, by name, whatever they do", () => {
    const workers = [
      exampleWorker({ id: "1", name: "b10", status: "idle" }),
      exampleWorker({ id: "2", name: "a", status: "disabled" }),
      exampleWorker({ id: "3", name: "a", status: "offline" }),
      exampleWorker({ id: "4", name: "b9", status: "busy" }),
    ];
    expect(inWorkerOrder(workers).map(({ id }) => id)).toEqual(["4", "1", "3", "2"]);
  });

  it("knows who is new", () => {
    expect(
      newcomers(new Set(["1"]), [exampleWorker({ id: "1" }), exampleWorker({ id: "2", name: "south" })]),
    ).toMatchObject([{ id: "2", name: "south" }]);
  });

  it("tells the speed without false precision", () => {
    expect([0.456, 3.24, 27.6].map(formatFactor)).toEqual(["0.5× real time", "3.2× real time", "28× real time"]);
  });
});

describe("a worker that is degraded", () => {
  const degraded = {
    health: "degraded",
    conditions: [{ code: "sandbox_incomplete", detail: "the sandbox lacks files" }],
  };

  it("is told of while it is online, with the reason", () => {
    const workers = [
      exampleWorker({ id: "1", name: "north", ...degraded } as Partial<Worker>),
      exampleWorker({ id: "2", name: "south", status: "offline", ...degraded } as Partial<Worker>),
      exampleWorker({ id: "3", name: "east" }),
    ];
    expect(incompleteSandboxes(workers)).toEqual(["north: the sandbox lacks files"]);
  });
});

describe("before something is done", () => {
  it("people hear what becomes of its jobs", () => {
    expect(texts.drain.text(2)).toContain("finishes its 2 running jobs");
    expect(texts.disable.text(2)).toContain("Its 2 jobs go back to the queue");
    expect(texts.disable.text(1)).toContain("Its job goes back to the queue");
    expect(texts.remove.text(0, true)).toContain("It has no running jobs.");
    expect(texts.rotateKey.text(true)).toContain("restart the server");
    expect(texts.rotateKey.text(false)).not.toContain("restart the server");
  });
});

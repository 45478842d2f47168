/** What a worker reports about its machine. It is free-form JSON, perhaps from another version: nothing in it is taken for granted. */
import { workersTexts } from "@/texts/workers";

/** A GPU as far as it is only named; its state comes with heartbeats. */
export interface NamedGpu {
  name: string;
  encoders: string[];
}

export interface Sandbox {
  up: string[];
  missing: { name: string; reason: string }[];
}

export interface Capabilities {
  version: string | null;
  cores: number | null;
  memoryBytes: number | null;
  slots: number | null;
  encoders: string[];
  gpus: NamedGpu[];
  /** Why there is no GPU, or no more of them. */
  gpuMissing: string[];
  ffmpeg: string[];
  /** The layers of the sandbox; null if the worker reports none. */
  sandbox: Sandbox | null;
}

export function readCapabilities(raw: unknown): Capabilities {
  const object = record(raw);
  return {
    version: text(object.version),
    cores: positive(object.cores),
    memoryBytes: positive(object.memory_bytes),
    slots: positive(object.slots),
    encoders: texts(object.encoders),
    gpus: list(object.gpus).map(readGpu),
    gpuMissing: texts(object.gpu_missing),
    ffmpeg: texts(object.ffmpeg),
    sandbox: readSandbox(object.walls),
  };
}

const kinds: Record<string, string> = { nvenc: "NVIDIA", qsv: "Intel Quick Sync", vaapi: "VA-API" };

function readGpu(raw: unknown): NamedGpu {
  const { name, model, kind, encoders } = record(raw);
  const known = text(kind);
  const named = text(raw) ?? text(name) ?? text(model) ?? (known && (kinds[known] ?? known));
  return { name: named ?? "GPU", encoders: texts(encoders) };
}

function readSandbox(raw: unknown): Sandbox | null {
  const entries = Object.entries(record(raw));
  if (entries.length === 0) return null;
  const sandbox: Sandbox = { up: [], missing: [] };
  for (const [name, state] of entries) {
    if (state === "up") sandbox.up.push(name);
    else sandbox.missing.push({ name, reason: reasonOf(state) });
  }
  return sandbox;
}

/** Workers of earlier versions give the reason alone. */
function reasonOf(state: unknown): string {
  const { missing } = record(state);
  return text(record(missing).detail) ?? text(missing) ?? text(state) ?? workersTexts.sandbox.noReason;
}

const layerNames: Record<string, string> = workersTexts.sandbox.layers;

export function layerName(name: string): string {
  return layerNames[name] ?? name;
}

const encoderNames: Record<string, string> = {
  libx264: "H.264",
  libx265: "H.265",
  libsvtav1: "AV1",
  aac: "AAC",
  h264_nvenc: "H.264 (NVIDIA)",
  hevc_nvenc: "H.265 (NVIDIA)",
  h264_qsv: "H.264 (Quick Sync)",
  h264_vaapi: "H.264 (VA-API)",
};

export function encoderName(name: string): string {
  return encoderNames[name] ?? name;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: unknown): string[] {
  return list(value).filter((item): item is string => typeof item === "string" && item !== "");
}

function text(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function positive(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
}

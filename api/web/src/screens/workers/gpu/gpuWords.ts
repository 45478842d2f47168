/** What a card is and does, in words. */
import type { Gpu, GpuCourse, GpuEncoder, GpuSample, GpuState } from "@/api/types";
import { formatBytes } from "@/format/bytes";
import { count, formatNumber, formatPercent } from "@/format/count";
import { formatSpan } from "@/format/duration";
import { gpuStateWords, type Words } from "@/format/words";

/** Of a worker that is silent nothing is known, whatever its card was before. */
export function stateWords(state: GpuState, isHeard: boolean): Words {
  if (!isHeard) return { label: "Not heard", tone: "neutral" };
  return gpuStateWords[state] ?? { label: state, tone: "neutral" };
}

/** "3 of 8"; no limit is known as long as none was met. */
export function sessionsText({ sessions, session_limit }: Pick<Gpu, "sessions" | "session_limit">): string {
  const open = formatNumber(sessions);
  return session_limit == null ? open : `${open} of ${formatNumber(session_limit)}`;
}

/** "2 of 8 GB": the unit once if it is the same. */
export function memoryText({ memory_bytes, sample }: Pick<Gpu, "memory_bytes" | "sample">): string | null {
  const used = sample?.memory_used_bytes;
  if (used == null) return memory_bytes ? `${formatBytes(memory_bytes)} in all` : null;
  if (!memory_bytes) return formatBytes(used);
  const [usedText, total] = [formatBytes(used), formatBytes(memory_bytes)];
  const [value, unit] = usedText.split(" ");
  return `${total.endsWith(` ${unit}`) ? value : usedText} of ${total}`;
}

/** "h264_nvenc 480 fps at 1080p, up to 4096". */
export function encoderText({ name, fps, max_side }: GpuEncoder): string {
  const speed = fps < 10 ? fps.toFixed(1) : formatNumber(Math.round(fps));
  return `${name} ${speed} fps at 1080p, up to ${max_side}`;
}

/** What a heartbeat tells and signs do not; nothing of what was not told. */
export function otherFacts(sample: GpuSample | null | undefined): string[] {
  if (!sample) return [];
  const { foreign_processes, encoder_sessions, throttled = [] } = sample;
  return [
    powerText(sample),
    throttled.length > 0 ? `held back by ${throttled.join(", ")}` : null,
    foreign_processes ? count(foreign_processes, "other program") : null,
    encoder_sessions ? `${count(encoder_sessions, "session")} in all` : null,
  ].filter((text) => text !== null);
}

function powerText({ power_watts, power_limit_watts }: GpuSample): string | null {
  if (power_watts == null) return null;
  return power_limit_watts == null ? `${power_watts} W` : `${power_watts} of ${power_limit_watts} W`;
}

/** "16 GPUs: 14 ready, 1 yielding, 1 lost". */
export function gpuCounts(gpus: readonly Pick<Gpu, "state">[]): string {
  const states = Object.keys(gpuStateWords) as GpuState[];
  const parts = states.flatMap((state) => {
    const number = gpus.filter((gpu) => gpu.state === state).length;
    return number > 0 ? [`${formatNumber(number)} ${gpuStateWords[state].label.toLowerCase()}`] : [];
  });
  return `${count(gpus.length, "GPU")}: ${parts.join(", ")}`;
}

export function spanText({ at }: GpuCourse): string {
  const [first, last] = [at[0], at.at(-1)];
  if (first === undefined || last === undefined || first === last) return "No history yet";
  return `Last ${formatSpan((last - first) / 1000)}`;
}

/** The chart for those who do not see it: from where to where each line went, and where it is. */
export function courseText(course: GpuCourse): string {
  const lines = [
    rangeText("encoder", course.encoder, formatPercent),
    rangeText("memory", course.memory, formatPercent),
    rangeText("temperature", course.temperature, degrees),
  ].filter((text) => text !== null);
  return lines.length === 0 ? "Nothing told yet." : `${spanText(course)}: ${lines.join("; ")}.`;
}

function rangeText(name: string, values: readonly (number | null)[], format: (value: number) => string): string | null {
  const told = values.filter((value) => value !== null);
  if (told.length === 0) return null;
  const [least, most] = [Math.min(...told), Math.max(...told)];
  if (least === most) return `${name} ${format(most)}`;
  const last = values.at(-1);
  return `${name} ${format(least)} to ${format(most)}${last == null ? "" : `, now ${format(last)}`}`;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** What the chart shows at one place. */
export function momentText(course: GpuCourse, index: number): string {
  const at = course.at[index];
  if (at === undefined) return "";
  const [encoder, memory, temperature] = [course.encoder[index], course.memory[index], course.temperature[index]];
  const told = [
    encoder == null ? null : `encoder ${formatPercent(encoder)}`,
    memory == null ? null : `memory ${formatPercent(memory)}`,
    temperature == null ? null : degrees(temperature),
  ].filter((text) => text !== null);
  return `${clock.format(at)}: ${told.join(", ") || "not told"}`;
}

export function degrees(celsius: number): string {
  return `${celsius} °C`;
}

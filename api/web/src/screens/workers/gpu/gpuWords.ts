/** What a GPU is and does, in words. */
import type { Gpu, GpuCourse, GpuEncoder, GpuSample, GpuState } from "@/api/types";
import { formatBytes } from "@/format/bytes";
import { formatNumber, formatPercent } from "@/format/count";
import { formatSpan } from "@/format/duration";
import { gpuStateWords, type Words } from "@/format/words";
import { workersTexts } from "@/texts/workers";

const { gpus: texts, gpuHistory } = workersTexts;

/** Nothing is known while the worker is offline, whatever the state of its GPU was before. */
export function stateWords(state: GpuState, isHeard: boolean): Words {
  if (!isHeard) return { label: texts.unknownState, tone: "neutral" };
  return gpuStateWords[state] ?? { label: state, tone: "neutral" };
}

/** "3 of 8"; no limit is known as long as none was met. */
export function sessionsText({ sessions, session_limit }: Pick<Gpu, "sessions" | "session_limit">): string {
  const open = formatNumber(sessions);
  return session_limit == null ? open : texts.of(open, formatNumber(session_limit));
}

/** "2 of 8 GB": the unit once if it is the same. */
export function memoryText({ memory_bytes, sample }: Pick<Gpu, "memory_bytes" | "sample">): string | null {
  const used = sample?.memory_used_bytes;
  if (used == null) return memory_bytes ? texts.memoryTotal(formatBytes(memory_bytes)) : null;
  if (!memory_bytes) return formatBytes(used);
  const [usedText, total] = [formatBytes(used), formatBytes(memory_bytes)];
  const [value = usedText, unit] = usedText.split(" ");
  return texts.of(total.endsWith(` ${unit}`) ? value : usedText, total);
}

/** "h264_nvenc 480 fps at 1080p, up to 4096 px". */
export function encoderText({ name, fps, max_side }: GpuEncoder): string {
  const speed = fps < 10 ? fps.toFixed(1) : formatNumber(Math.round(fps));
  return texts.encoderSpeed(name, speed, max_side);
}

/** What only heartbeats report; nothing about what was not reported. */
export function otherFacts(sample: GpuSample | null | undefined): string[] {
  if (!sample) return [];
  const { foreign_processes, encoder_sessions, throttled = [] } = sample;
  return [
    powerText(sample),
    throttled.length > 0 ? texts.throttled(throttled.join(", ")) : null,
    foreign_processes ? texts.otherProcesses(foreign_processes) : null,
    encoder_sessions ? texts.allSessions(encoder_sessions) : null,
  ].filter((text) => text !== null);
}

function powerText({ power_watts, power_limit_watts }: GpuSample): string | null {
  if (power_watts == null) return null;
  return texts.watts(power_limit_watts == null ? `${power_watts}` : texts.of(`${power_watts}`, `${power_limit_watts}`));
}

/** "16 GPUs: 14 ready, 1 yielding, 1 lost". */
export function gpuCounts(gpus: readonly Pick<Gpu, "state">[]): string {
  const states = Object.keys(gpuStateWords) as GpuState[];
  const parts = states.flatMap((state) => {
    const number = gpus.filter((gpu) => gpu.state === state).length;
    return number > 0 ? [texts.inState(number, gpuStateWords[state].label.toLowerCase())] : [];
  });
  return texts.total(gpus.length, parts.join(", "));
}

export function spanText({ at }: GpuCourse): string {
  const [first, last] = [at[0], at.at(-1)];
  if (first === undefined || last === undefined || first === last) return gpuHistory.none;
  return gpuHistory.span(formatSpan((last - first) / 1000));
}

/** The chart for those who do not see it: the range of each line, and where it is now. */
export function courseText(course: GpuCourse): string {
  const lines = [
    rangeText(gpuHistory.encoder, course.encoder, formatPercent),
    rangeText(gpuHistory.memory, course.memory, formatPercent),
    rangeText(gpuHistory.temperature, course.temperature, texts.degrees),
  ].filter((text) => text !== null);
  return lines.length === 0 ? gpuHistory.noData : gpuHistory.summary(spanText(course), lines.join("; "));
}

function rangeText(name: string, values: readonly (number | null)[], format: (value: number) => string): string | null {
  const told = values.filter((value) => value !== null);
  if (told.length === 0) return null;
  const [least, most] = [Math.min(...told), Math.max(...told)];
  if (least === most) return gpuHistory.constant(name, format(most));
  const last = values.at(-1);
  if (last == null) return gpuHistory.range(name, format(least), format(most));
  return gpuHistory.rangeNow(name, format(least), format(most), format(last));
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** What the chart shows at one place. */
export function momentText(course: GpuCourse, index: number): string {
  const at = course.at[index];
  if (at === undefined) return "";
  const [encoder, memory, temperature] = [course.encoder[index], course.memory[index], course.temperature[index]];
  const told = [
    encoder == null ? null : gpuHistory.constant(gpuHistory.encoder, formatPercent(encoder)),
    memory == null ? null : gpuHistory.constant(gpuHistory.memory, formatPercent(memory)),
    temperature == null ? null : texts.degrees(temperature),
  ].filter((text) => text !== null);
  return gpuHistory.at(clock.format(at), told.join(", ") || texts.noData);
}

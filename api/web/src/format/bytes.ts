const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** 1400000 → "1.4 MB". Powers of ten, as disks are sold and shown by most systems. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes <= 0) return "0 B";
  let unit = 0;
  let value = bytes;
  while (unit < UNITS.length - 1 && rounded(value) >= 1000) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : rounded(value)} ${UNITS[unit]}`;
}

/** One decimal below ten, none above. */
function rounded(value: number): number {
  return value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value);
}

export function formatSpeed(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

const numbers = new Intl.NumberFormat();

export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** count(1, "job") → "1 job"; count(2, "job") → "2 jobs". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

export function formatPercent(percent: number): string {
  const inside = Math.min(100, Math.max(0, percent));
  // 99.7 is not done yet: only 100 says 100.
  return `${inside === 100 ? 100 : Math.floor(inside)}%`;
}

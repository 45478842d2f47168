/** Reads `video.renditions`, which the schema leaves open: what plays, as it was published. */
export interface PublishedRendition {
  name: string;
  bytes: number;
  averageBandwidth: number | null;
}

export function publishedRenditions(renditions: unknown): Map<string, PublishedRendition> {
  const found = new Map<string, PublishedRendition>();
  const list = property(renditions, "renditions");
  if (!Array.isArray(list)) return found;
  for (const entry of list) {
    const [name, bytes, average] = ["name", "bytes", "average_bandwidth"].map((key) => property(entry, key));
    if (typeof name !== "string" || typeof bytes !== "number") continue;
    found.set(name, { name, bytes, averageBandwidth: typeof average === "number" ? average : null });
  }
  return found;
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

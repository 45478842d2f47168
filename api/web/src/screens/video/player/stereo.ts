import type Hls from "hls.js";

/**
 * Leaves the variants with stereo audio. Those with surround differ from them in bandwidth alone, so hls.js would change
 * between the two on the way, and the menu would list every quality twice.
 */
export function keepStereo(
  hls: Pick<Hls, "levels" | "firstLevel" | "removeLevel"> & {
    allAudioTracks: Pick<Hls["allAudioTracks"][number], "groupId" | "channels">[];
  },
): void {
  const surround = new Set(
    hls.allAudioTracks.filter(({ channels }) => Number.parseInt(channels ?? "2", 10) > 2).map(({ groupId }) => groupId),
  );
  const isSurround = ({ audioGroups }: (typeof hls.levels)[number]) =>
    audioGroups?.some((group) => group !== undefined && surround.has(group)) ?? false;
  const all = [...hls.levels];
  if (all.every(isSurround)) return;
  const first = all[hls.firstLevel];
  for (const [index, level] of [...all.entries()].reverse()) {
    if (isSurround(level)) hls.removeLevel(index);
  }
  // It is an index, and hls.js leaves it as it is.
  if (first && hls.levels.includes(first)) hls.firstLevel = hls.levels.indexOf(first);
}

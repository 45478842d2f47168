import type { Video } from "@/api/types";
import { languageName } from "@/format/language";
import { videoTexts } from "@/texts/video";
import { isAudioOnly } from "../words";

export interface TextSource {
  url: string;
  language: string;
  label: string;
}

/** What a player needs to know, as it was when it began: a new version must not disturb it. */
export interface Playable {
  generation: number;
  url: string;
  title: string;
  poster: string | null;
  storyboard: string | null;
  subtitles: readonly TextSource[];
  audioOnly: boolean;
  duration: number | null;
  /** Width by height. */
  ratio: number;
}

function textSources(subtitles: Video["subtitles"]): TextSource[] {
  return subtitles.map(({ url, language, title, forced }, index) => {
    const name = title || languageName(language) || videoTexts.player.subtitles(index + 1);
    return { url, language: language ?? "", label: forced ? videoTexts.player.forced(name) : name };
  });
}

const USUAL_RATIO = 16 / 9;
/** Narrower pictures get bars at the sides, else they would fill more than the window. */
const NARROWEST = 4 / 3;

export function playable(video: Video): Playable | null {
  if (video.generation < 1 || !video.playback_url) return null;
  const ratio = video.width && video.height ? video.width / video.height : USUAL_RATIO;
  return {
    generation: video.generation,
    url: video.playback_url,
    title: video.title,
    poster: video.poster_url ?? null,
    storyboard: video.storyboard_url ?? null,
    subtitles: textSources(video.subtitles),
    audioOnly: isAudioOnly(video),
    duration: video.duration_seconds ?? null,
    ratio: ratio < NARROWEST ? USUAL_RATIO : ratio,
  };
}

import { commonTexts } from "@/texts/common";

const texts = commonTexts.qualities;
const AUDIO = /^audio(\d+)(surround)?$/;

/** "720p" is its own label; "audio0" is "Audio", "audio1surround" "Audio 2, 5.1 surround". */
export function qualityLabel(name: string): string {
  return labelOf(name, texts.surround);
}

/** The same where there is little room: "Audio 2, 5.1". */
export function shortQualityLabel(name: string): string {
  return labelOf(name, texts.surroundShort);
}

function labelOf(name: string, withSurround: (audio: string) => string): string {
  const [found, track, surround] = AUDIO.exec(name) ?? [];
  if (!found) return name;
  const number = Number(track) + 1;
  const label = number === 1 ? texts.audio : texts.audioNumber(number);
  return surround ? withSurround(label) : label;
}

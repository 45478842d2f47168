/**
 * The lists that the controls look for at a media element: which qualities and which audio tracks there are. Browsers do not
 * offer them with hls.js, so the player does.
 */
import type { Level, MediaPlaylist } from "hls.js";
import { languageName } from "@/format/language";
import { videoTexts } from "@/texts/video";

export interface Rendition {
  id: string;
  width: number;
  height: number;
  bitrate: number;
}

/** Looks like an array, and says when it changes. */
class MediaList<T extends object> extends EventTarget {
  [index: number]: T;
  length = 0;

  protected put(items: readonly T[]): void {
    for (let index = 0; index < this.length; index += 1) delete this[index];
    items.forEach((item, index) => {
      this[index] = item;
    });
    this.length = items.length;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let index = 0; index < this.length; index += 1) yield this[index] as T;
  }
}

/** -1 is selected: the player chooses by itself. */
export class RenditionList extends MediaList<Rendition> {
  private selected = -1;
  private readonly choose: (index: number) => void;

  constructor(choose: (index: number) => void) {
    super();
    this.choose = choose;
  }

  fill(renditions: readonly Rendition[]): void {
    this.put(renditions);
    this.dispatchEvent(new Event("addrendition"));
  }

  get selectedIndex(): number {
    return this.selected;
  }

  set selectedIndex(index: number) {
    if (index === this.selected) return;
    this.selected = index;
    this.choose(index);
    this.dispatchEvent(new Event("change"));
  }
}

export class Sound {
  readonly id: string;
  readonly kind = "main";
  readonly label: string;
  readonly language: string;
  // Really private: the controls turn the whole list into JSON.
  #on: boolean;
  readonly #list: SoundList;

  constructor(list: SoundList, id: string, label: string, language: string, on: boolean) {
    this.#list = list;
    this.id = id;
    this.label = label;
    this.language = language;
    this.#on = on;
  }

  get enabled(): boolean {
    return this.#on;
  }

  set enabled(on: boolean) {
    if (on === this.#on) return;
    this.#on = on;
    if (on) this.#list.chosen(this);
  }
}

export class SoundList extends MediaList<Sound> {
  private readonly choose: (id: number) => void;

  constructor(choose: (id: number) => void) {
    super();
    this.choose = choose;
  }

  fill(tracks: readonly { id: number; name: string; lang?: string; on: boolean }[]): void {
    this.put(tracks.map(({ id, name, lang, on }) => new Sound(this, String(id), name, lang ?? "", on)));
    this.dispatchEvent(new Event("addtrack"));
  }

  chosen(sound: Sound): void {
    this.choose(Number(sound.id));
    this.dispatchEvent(new Event("change"));
  }
}

/** One entry for each quality that has pictures; the same lines twice is one. */
export function renditionsOf(levels: readonly Pick<Level, "width" | "height" | "bitrate">[]): Rendition[] {
  return levels
    .map(({ width, height, bitrate }, index) => ({ id: String(index), width, height, bitrate }))
    .filter(({ width, height }) => width > 0 && height > 0);
}

/** Worth a menu only if there is a choice. */
export function soundsOf(tracks: readonly Pick<MediaPlaylist, "id" | "name" | "lang">[], active: number) {
  if (tracks.length < 2) return [];
  return tracks.map(({ id, name, lang }) => ({ id, name: soundName(id, name, lang), lang, on: id === active }));
}

/** A track without a name is called by the code of its language. */
function soundName(id: number, name: string, lang: string | undefined): string {
  return (name === lang ? languageName(lang) : name) || languageName(lang) || videoTexts.player.track(id + 1);
}

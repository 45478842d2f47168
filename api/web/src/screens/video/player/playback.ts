/** Connects a media element to a playlist: hls.js first, the browser's own HLS only where hls.js cannot run. */
import Hls, { type ErrorData, ErrorTypes, Events } from "hls.js";
import { RenditionList, renditionsOf, SoundList, soundsOf } from "./mediaLists";
import type { PlaybackError } from "./problems";
import { keepStereo } from "./stereo";

export interface Start {
  url: string;
  /** Seconds from the beginning. */
  at: number;
  playing: boolean;
}

const HLS_TYPE = "application/vnd.apple.mpegurl";
/** A few seconds ahead are enough before anybody pressed play. */
const BUFFER_SECONDS = 20;

/** Returns what ends it. */
export function connect(media: HTMLVideoElement, start: Start, onFailure: (error: PlaybackError) => void): () => void {
  // In this order: Chromium says "maybe" to the type, and then plays it less well than hls.js does.
  if (Hls.isSupported()) return withHls(media, start, onFailure);
  if (media.canPlayType(HLS_TYPE) !== "") return natively(media, start, onFailure);
  onFailure({ kind: "unsupported" });
  return () => {};
}

function withHls(media: HTMLVideoElement, start: Start, onFailure: (error: PlaybackError) => void): () => void {
  const hls = new Hls({
    // Segments are fMP4 and need no repacking.
    enableWorker: false,
    capLevelToPlayerSize: true,
    maxBufferLength: BUFFER_SECONDS,
    startPosition: start.at > 0 ? start.at : -1,
    // The element has the subtitles already; hls.js would add them by data: addresses, which the page does not allow.
    subtitleTrackController: undefined,
    subtitleStreamController: undefined,
    timelineController: undefined,
  });
  const renditions = new RenditionList(qualitySwitch(hls, media));
  const sounds = new SoundList((id) => {
    hls.audioTrack = id;
  });
  Object.defineProperty(media, "videoRenditions", { value: renditions, configurable: true });
  Object.defineProperty(media, "audioTracks", { value: sounds, configurable: true });

  hls.on(Events.MANIFEST_PARSED, () => {
    keepStereo(hls);
    renditions.fill(renditionsOf(hls.levels));
    if (start.playing) void media.play().catch(() => undefined);
  });
  hls.on(Events.AUDIO_TRACKS_UPDATED, (_, { audioTracks }) => sounds.fill(soundsOf(audioTracks, hls.audioTrack)));
  hls.on(Events.ERROR, handleErrors(hls, onFailure));
  hls.loadSource(start.url);
  hls.attachMedia(media);
  return () => hls.destroy();
}

/**
 * Changes the quality so that it is seen now. The browser would play the old pictures on to the next key frame, which is
 * a whole segment away: going to where it is already makes it look again.
 */
function qualitySwitch(hls: Hls, media: HTMLVideoElement): (level: number) => void {
  const NONE = -1;
  let wanted = NONE;
  hls.on(Events.FRAG_BUFFERED, (_, { frag }) => {
    if (frag.type !== "main" || frag.level !== wanted) return;
    wanted = NONE;
    media.currentTime += 0;
  });
  return (level) => {
    wanted = level;
    // Going back to "Auto" keeps what is loaded.
    if (level === NONE) hls.loadLevel = NONE;
    else hls.currentLevel = level;
  };
}

/** hls.js tries again by itself; what it gives up on gets one more chance if the decoder is at fault. */
function handleErrors(hls: Hls, onFailure: (error: PlaybackError) => void) {
  let recovered = false;
  return (_: unknown, data: ErrorData) => {
    if (!data.fatal) return;
    if (data.type === ErrorTypes.MEDIA_ERROR && !recovered) {
      recovered = true;
      hls.recoverMediaError();
      return;
    }
    const kind = kinds[data.type] ?? "other";
    onFailure({ kind, status: data.response?.code || undefined, details: data.details });
    hls.stopLoad();
  };
}

const kinds: Partial<Record<string, PlaybackError["kind"]>> = {
  [ErrorTypes.NETWORK_ERROR]: "network",
  [ErrorTypes.MEDIA_ERROR]: "media",
};

function natively(media: HTMLVideoElement, start: Start, onFailure: (error: PlaybackError) => void): () => void {
  const onError = () => {
    const network = media.error?.code === MediaError.MEDIA_ERR_NETWORK;
    onFailure({ kind: network ? "network" : "media", details: media.error?.message });
  };
  const onMetadata = () => {
    if (start.at > 0) media.currentTime = start.at;
    if (start.playing) void media.play().catch(() => undefined);
  };
  media.addEventListener("error", onError);
  media.addEventListener("loadedmetadata", onMetadata, { once: true });
  media.src = start.url;
  return () => {
    media.removeEventListener("error", onError);
    media.removeEventListener("loadedmetadata", onMetadata);
    media.removeAttribute("src");
    media.load();
  };
}

/** The player itself; loaded when there is something to play. */
import {
  MediaControlBar,
  MediaController,
  MediaFullscreenButton,
  MediaLoadingIndicator,
  MediaMuteButton,
  MediaPipButton,
  MediaPlayButton,
  MediaPlaybackRateButton,
  MediaSeekBackwardButton,
  MediaSeekForwardButton,
  MediaTimeDisplay,
  MediaTimeRange,
  MediaVolumeRange,
} from "media-chrome/react";
import {
  MediaAudioTrackMenu,
  MediaAudioTrackMenuButton,
  MediaCaptionsMenu,
  MediaCaptionsMenuButton,
  MediaPlaybackRateMenu,
  MediaPlaybackRateMenuButton,
  MediaRenditionMenu,
  MediaRenditionMenuButton,
} from "media-chrome/react/menu";
import { memo, useEffect, useRef } from "react";
import { videoTexts } from "@/texts/video";
import classes from "./Player.module.css";
import type { Playable, TextSource } from "./playable";
import { connect } from "./playback";
import type { PlaybackError } from "./problems";

export interface Position {
  at: number;
  playing: boolean;
}

interface PlayerProps {
  source: Playable;
  start: Position;
  onPosition: (position: Position) => void;
  onFailure: (error: PlaybackError) => void;
}

/** Reads its properties once: give it another `key` to play something else. */
export const Player = memo(function Player(props: PlayerProps) {
  const first = useRef(props);
  const controller = useRef<HTMLElement>(null);
  const { audioOnly, duration } = first.current.source;

  useEffect(() => {
    const place = controller.current;
    if (!place) return;
    const { source, start, onPosition, onFailure } = first.current;
    const media = mediaElement(source);
    const tell = () => onPosition({ at: media.currentTime, playing: !media.paused && !media.ended });
    // Before the first "play" nobody watches, whatever else is reported.
    const onFirstPlay = () => {
      tell();
      for (const event of ["timeupdate", "play", "pause", "seeked"]) media.addEventListener(event, tell);
    };
    media.addEventListener("play", onFirstPlay, { once: true });
    place.setAttribute("aria-label", source.audioOnly ? videoTexts.player.audio : videoTexts.player.video);
    const disconnect = connect(media, { url: source.url, ...start }, onFailure);
    place.append(media);
    place.addEventListener("toggle", focusWhatOpened);
    return () => {
      place.removeEventListener("toggle", focusWhatOpened);
      disconnect();
      media.remove();
    };
  }, []);

  return (
    <MediaController
      ref={controller as React.RefObject<never>}
      className={classes.controller}
      audio={audioOnly}
      defaultDuration={duration ?? undefined}
      {...KEYS}
    >
      {audioOnly ? <SoundControls /> : <PictureControls />}
    </MediaController>
  );
});

function PictureControls() {
  return (
    <>
      <MediaLoadingIndicator slot="centered-chrome" noAutohide />
      <MediaRenditionMenu hidden anchor="auto" />
      <MediaCaptionsMenu hidden anchor="auto" />
      <MediaAudioTrackMenu hidden anchor="auto" />
      <MediaPlaybackRateMenu hidden anchor="auto" rates={RATES} />
      <MediaControlBar className={classes.times}>
        <MediaTimeRange />
      </MediaControlBar>
      <MediaControlBar className={classes.buttons}>
        <MediaPlayButton />
        <MediaSeekBackwardButton seekOffset={10} />
        <MediaSeekForwardButton seekOffset={10} />
        <MediaMuteButton />
        <MediaVolumeRange />
        <MediaTimeDisplay showDuration />
        <span className={classes.space} />
        <MediaCaptionsMenuButton />
        <MediaAudioTrackMenuButton />
        <MediaPlaybackRateMenuButton />
        <MediaRenditionMenuButton />
        <MediaPipButton />
        <MediaFullscreenButton />
      </MediaControlBar>
    </>
  );
}

/** Without a video track there is no room above the buttons for menus. */
function SoundControls() {
  return (
    <MediaControlBar className={classes.buttons}>
      <MediaPlayButton />
      <MediaSeekBackwardButton seekOffset={10} />
      <MediaSeekForwardButton seekOffset={10} />
      <MediaTimeRange className={classes.space} />
      <MediaTimeDisplay showDuration />
      <MediaMuteButton />
      <MediaVolumeRange />
      <MediaPlaybackRateButton rates={RATES} />
    </MediaControlBar>
  );
}

/**
 * The menus would take the focus at the end of their transition, which never comes when it is cut short (they do that
 * themselves when they are measured), and whoever is quick would type into the button below.
 */
function focusWhatOpened({ target, newState }: Event & { newState?: string }): void {
  if (newState === "open" && target instanceof HTMLElement) target.focus();
}

const RATES = [0.5, 1, 1.25, 1.5, 2];
/** "?" belongs to the page. */
const KEYS = { hotkeys: "noshift+/" } as object;

function mediaElement({ poster, storyboard, subtitles, audioOnly, title }: Playable): HTMLVideoElement {
  const media = document.createElement("video");
  media.slot = "media";
  media.playsInline = true;
  media.preload = "metadata";
  media.setAttribute("aria-label", title);
  if (poster && !audioOnly) media.poster = poster;
  if (storyboard) media.append(previewTrack(storyboard));
  media.append(...subtitles.map(subtitleTrack));
  return media;
}

/** The pictures above the time range. */
function previewTrack(url: string): HTMLTrackElement {
  const track = document.createElement("track");
  track.kind = "metadata";
  track.label = "thumbnails";
  track.default = true;
  track.src = url;
  return track;
}

function subtitleTrack({ url, language, label }: TextSource): HTMLTrackElement {
  const track = document.createElement("track");
  track.kind = "subtitles";
  track.label = label;
  track.srclang = language;
  track.src = url;
  return track;
}

import { Button, Group, Loader, Paper, Text } from "@mantine/core";
import { RotateCw } from "lucide-react";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import type { Video } from "@/api/types";
import { lazyPart } from "@/parts/lazyPart";
import { videoTexts } from "@/texts/video";
import type { Position } from "./Player";
import classes from "./Player.module.css";
import { type Playable, playable } from "./playable";
import { type PlaybackError, type PlaybackProblem, problemWords } from "./problems";

const Player = lazyPart(() => import("./Player").then(({ Player }) => Player));

const texts = videoTexts.player;
const BEGINNING: Position = { at: 0, playing: false };

interface Shown {
  source: Playable;
  start: Position;
  /** Grows with each new beginning. */
  times: number;
}

/**
 * Plays what was there when it began. A re-transcode changes nothing here; when the new version is out it is offered,
 * and only taken by itself if nobody has begun to watch.
 */
export function PlayerBox({ video }: { video: Video }) {
  const newest = playable(video);
  const position = useRef(BEGINNING);
  const [problem, setProblem] = useState<PlaybackProblem | null>(null);
  const [shown, setShown] = useState<Shown | null>(newest && { source: newest, start: BEGINNING, times: 0 });
  const isNewer = newest !== null && newest.generation !== shown?.source.generation;

  const begin = () => {
    if (!newest) return;
    setProblem(null);
    setShown((old) => ({ source: newest, start: position.current, times: (old?.times ?? 0) + 1 }));
  };
  const newestBegin = useRef(begin);
  newestBegin.current = begin;
  useEffect(() => {
    if (isNewer && position.current === BEGINNING) newestBegin.current();
  }, [isNewer]);

  const onPosition = useCallback((now: Position) => {
    position.current = now;
  }, []);
  const onFailure = useCallback((error: PlaybackError) => setProblem(problemWords(error)), []);

  if (!shown) return null;
  const { source } = shown;
  return (
    <div>
      <div className={`${classes.box} ${source.audioOnly ? classes.sound : ""}`}>
        <div className={classes.picture} style={source.audioOnly ? undefined : { aspectRatio: source.ratio }}>
          <Suspense fallback={<Still source={source} />}>
            <Player
              key={shown.times}
              source={source}
              start={shown.start}
              onPosition={onPosition}
              onFailure={onFailure}
            />
          </Suspense>
        </div>
        {problem && <Problem problem={problem} retry={begin} />}
      </div>
      {isNewer && position.current !== BEGINNING && <NewVersion reload={begin} />}
    </div>
  );
}

function Still({ source }: { source: Playable }) {
  const style = source.poster ? { backgroundImage: `url("${source.poster}")` } : undefined;
  return (
    <div className={classes.still} style={{ ...style, height: source.audioOnly ? 76 : "100%" }}>
      <Loader role="status" color="white" aria-label={texts.loading} />
    </div>
  );
}

function Problem({ problem, retry }: { problem: PlaybackProblem; retry: () => void }) {
  return (
    <div className={classes.problem} role="alert">
      <Text fw={650} size="lg">
        {problem.title}
      </Text>
      <Text size="sm">{problem.advice}</Text>
      <Button variant="white" color="dark" size="xs" leftSection={<RotateCw size={14} aria-hidden />} onClick={retry}>
        {texts.tryAgain}
      </Button>
    </div>
  );
}

function NewVersion({ reload }: { reload: () => void }) {
  return (
    <Paper withBorder p="xs" mt="xs" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{texts.newVersion}</Text>
        <Button size="xs" variant="default" leftSection={<RotateCw size={14} aria-hidden />} onClick={reload}>
          {texts.reload}
        </Button>
      </Group>
    </Paper>
  );
}

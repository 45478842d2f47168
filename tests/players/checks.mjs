// What holds for every playback.
import assert from 'node:assert/strict'

/** No error, no stall, no step back, and each frame that was shown at the time it has in the source. */
export function isSmooth(played, clip) {
  assert.deepEqual(played.errors, [])
  assert.deepEqual(played.stalls, [], 'stalled at')
  assert.deepEqual(played.backwards, [], 'went back from, to')
  // A Matroska source rounds to milliseconds.
  const inSource = (time) => clip.times.some((known) => Math.abs(known - time) < 0.002)
  assert.deepEqual(played.frames.map((frame) => frame.time).filter((time) => !inSource(time)), [], 'times of no frame')
}

/** As long as the source, and in the buffer as one piece from `start` to the end. */
export function isWhole(played, clip, start = 0) {
  const off = Math.abs(played.duration - clip.duration)
  assert.ok(off <= clip.frame, `${played.duration} s long instead of ${clip.duration}`)
  assert.deepEqual(played.buffered, [[start, played.duration]])
}

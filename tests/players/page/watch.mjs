// What the video element says while it plays, and waits that end: with the event, or with all that was said so far.

export const video = document.querySelector('video')

/** What a test asks about afterwards. `frames` are those that were shown. */
const seen = { errors: [], stalls: [], backwards: [], frames: [], fetched: [] }
export const { errors, fetched } = seen

const ranges = (buffered) => Array.from(buffered, (_, n) => [buffered.start(n), buffered.end(n)])

export function report() {
  return {
    ...seen,
    time: video.currentTime,
    duration: video.duration,
    buffered: ranges(video.buffered),
    decoded: video.getVideoPlaybackQuality().totalVideoFrames,
  }
}

/** Waits until `listen` calls back with something true. */
export function until(what, listen, seconds = 20) {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no ${what} within ${seconds} s: ${JSON.stringify(report())}`))
    const timer = setTimeout(giveUp, seconds * 1000)
    listen((value) => {
      if (!value) return
      clearTimeout(timer)
      resolve(value)
    })
  })
}

export const event = (name, seconds) =>
  until(`event '${name}'`, (done) => video.addEventListener(name, () => done(true), { once: true }), seconds)

export const reaches = (time) =>
  until(`${time} s of the video`, (done) => {
    const look = () => done(video.currentTime >= time)
    video.addEventListener('timeupdate', look)
    look()
  })

/** Its first frame, while it still stands: once it plays, a busy machine skips frames, the first among them. */
const firstFrame = () =>
  until('first frame', (done) => {
    const look = () => done(video.readyState >= 2 && (video.videoWidth === 0 || seen.frames.length > 0))
    video.addEventListener('loadeddata', look)
    video.addEventListener('frameshown', look)
    look()
  })

/** From where it is to the end. */
export async function playToTheEnd(rate) {
  await firstFrame()
  const ended = event('ended', 60)
  video.playbackRate = rate
  await video.play()
  await ended
}

/** Whether a stop here is for want of speed, since data lies ahead, rather than for a hole or missing data. */
export const isSlowMachine = () =>
  ranges(video.buffered).some(([start, end]) =>
    start <= video.currentTime && end >= Math.min(video.currentTime + 0.5, video.duration))

const stalled = () => {
  if (!video.seeking && !video.ended && !isSlowMachine()) seen.stalls.push(video.currentTime)
}
// Before the first frame every playback waits.
video.addEventListener('playing', () => video.addEventListener('waiting', stalled), { once: true })

video.addEventListener('error', () => errors.push(`video element: ${video.error.message}`))

let before = 0
video.addEventListener('seeking', () => (before = 0))
video.addEventListener('timeupdate', () => {
  if (video.currentTime < before) seen.backwards.push([before, video.currentTime])
  before = video.currentTime
})

video.requestVideoFrameCallback(function shown(_now, { mediaTime, width, height }) {
  seen.frames.push({ time: mediaTime, width, height })
  video.dispatchEvent(new Event('frameshown'))
  video.requestVideoFrameCallback(shown)
})

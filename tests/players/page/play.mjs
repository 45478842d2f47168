// What the tests ask of the players; each function is called once, in a page of its own.
import { errors, event, fetched, isSlowMachine, playToTheEnd, reaches, report, until, video } from './watch.mjs'

/** An hls.js that knows its levels and fetches nothing yet. */
async function open(url) {
  const hls = new Hls({ autoStartLoad: false })
  hls.on(Hls.Events.ERROR, (_, { details, fatal, reason, error }) => {
    if (details === Hls.ErrorDetails.BUFFER_STALLED_ERROR && isSlowMachine()) return
    errors.push(`hls.js: ${details}, ${fatal ? 'fatal' : 'not fatal'}, ${reason ?? error?.message}`)
  })
  hls.on(Hls.Events.FRAG_LOADED, (_, { frag }) => fetched.push({ kind: frag.type, url: frag.url }))
  hls.attachMedia(video)
  hls.loadSource(url)
  await until('levels', (done) => hls.once(Hls.Events.MANIFEST_PARSED, () => done(true)))
  return hls
}

const sizes = (list) => list.map(({ width, height }) => ({ width, height }))

/** One level from the beginning to the end. */
async function level(url, index, rate) {
  const hls = await open(url)
  hls.currentLevel = index
  hls.startLoad()
  await playToTheEnd(rate)
  const segments = hls.levels[index].details.fragments.map((fragment) => fragment.url)
  return { ...report(), levels: sizes(hls.levels), segments }
}

/** With each second of the video to the next level, round and round. */
async function switching(url, rate) {
  const hls = await open(url)
  let second = 0
  video.addEventListener('timeupdate', () => {
    if (Math.floor(video.currentTime) === second) return
    second = Math.floor(video.currentTime)
    hls.nextLevel = second % hls.levels.length
  })
  hls.nextLevel = 0
  hls.startLoad()
  await playToTheEnd(rate)
  return report()
}

/** Loads segment n from level `order[n]`, as a connection of changing speed would have it. */
async function returning(url, order) {
  const hls = await open(url)
  hls.on(Hls.Events.FRAG_LOADED, (_, { frag }) => {
    if (frag.type === 'main' && frag.sn + 1 < order.length) hls.loadLevel = order[frag.sn + 1]
  })
  hls.loadLevel = order[0]
  const whole = until('end of the stream', (done) => hls.on(Hls.Events.BUFFERED_TO_END, () => done(true)))
  hls.startLoad()
  await whole
  return report()
}

/** The browser alone: files one behind the other into a buffer, then playback over each border. */
async function borders(codec, urls, times) {
  const source = new MediaSource()
  const opened = until('open source', (done) => source.addEventListener('sourceopen', () => done(true)))
  video.src = URL.createObjectURL(source)
  await opened
  const buffer = source.addSourceBuffer(`video/mp4; codecs="${codec}"`)
  for (const url of urls) {
    const bytes = await (await fetch(url)).arrayBuffer()
    const added = until(url, (done) => buffer.addEventListener('updateend', () => done(true), { once: true }))
    buffer.appendBuffer(bytes)
    await added
  }
  source.endOfStream()
  for (const time of times) {
    const there = event('seeked')
    video.currentTime = time - 0.3
    await there
    await video.play()
    await reaches(time + 0.3)
    video.pause()
  }
  return report()
}

/** Plays a little, goes to a time, plays one second from there. */
async function seek(url, time) {
  const hls = await open(url)
  hls.startLoad()
  await video.play()
  await reaches(0.5)
  const there = event('seeked')
  video.currentTime = time
  await there
  await reaches(time + 1)
  return report()
}

/** The languages, the cues of the first subtitle, and another language in the middle. */
async function tracks(url) {
  const hls = await open(url)
  const cues = until('subtitle', (done) => hls.on(Hls.Events.SUBTITLE_FRAG_PROCESSED, (_, frag) => done(frag.success)))
  hls.startLoad()
  await video.play()
  hls.subtitleTrack = 0
  await cues
  await reaches(1)
  const switched = until('other sound', (done) => hls.on(Hls.Events.AUDIO_TRACK_SWITCHED, () => done(true)))
  hls.audioTrack = 1
  await switched
  await reaches(3)
  const shown = Array.from(video.textTracks).find((track) => track.mode !== 'disabled')
  const named = (list) => list.map((track) => `${track.lang}${track.default ? ', default' : ''}`)
  return {
    ...report(),
    audio: named(hls.audioTracks),
    subtitles: named(hls.subtitleTracks),
    cues: Array.from(shown.cues, ({ startTime, endTime, text }) => [startTime, endTime, text]),
  }
}

/** Shaka Player from the beginning to the end, with qualities as it likes. */
async function shakaPlayer(url, rate) {
  const player = new shaka.Player()
  player.addEventListener('error', ({ detail }) => errors.push(`shaka: ${detail.message}`))
  await player.attach(video)
  await player.load(url)
  await playToTheEnd(rate)
  const { gapsJumped } = player.getStats()
  return { ...report(), gapsJumped, variants: sizes(player.getVariantTracks()) }
}

window.players = { level, switching, returning, borders, seek, tracks, shakaPlayer }

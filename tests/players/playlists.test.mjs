// ffmpeg and a strict parser of playlists. Started by scripts/players.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { clips } from './clips.mjs'
import { parse } from './parse.mjs'

const run = (program, ...args) =>
  promisify(execFile)(program, ['-v', 'warning', ...args], { encoding: 'buffer', maxBuffer: 2 ** 26, timeout: 60_000 })

/** Every media playlist of a clip, each once. */
async function mediaPlaylists({ master }) {
  const { variants } = await parse(master)
  const playlists = variants.flatMap((variant) => [variant, ...variant.audio, ...variant.subtitles])
  return [...new Set(playlists.map(({ uri }) => new URL(uri, master).href))]
}

/** The types of the streams; `count` is 'frames' to decode them or 'packets' to leave it at reading. */
async function reads(url, clip, count) {
  const { stdout, stderr } = await run('ffprobe', `-count_${count}`, '-show_streams', '-of', 'json', url)
  // It says so of each master playlist with subtitles.
  const lines = String(stderr).split('\n').filter((line) => line && !line.includes("Can't support the subtitle"))
  assert.deepEqual(lines, [], url)
  const { streams } = JSON.parse(stdout)
  for (const stream of streams.filter((stream) => stream.codec_type === 'video')) {
    assert.equal(Number(stream[`nb_read_${count}`]), clip.times.length, `${count} of ${url}`)
  }
  return streams.map((stream) => stream.codec_type)
}

for (const [name, clip] of Object.entries(clips)) {
  test(`the playlists of ${name} are strictly right`, async () => {
    const { variants } = await parse(clip.master)
    const levels = variants.flatMap((variant) => variant.resolution ?? []).reverse()
    assert.deepEqual(levels.map(({ width, height }) => ({ width, height })), clip.levels)
    for (const url of await mediaPlaylists(clip)) {
      const { segments, endlist } = await parse(url)
      const length = segments.reduce((sum, segment) => sum + segment.duration, 0)
      assert.ok(endlist && Math.abs(length - clip.duration) <= clip.frame, `${url} lasts ${length} s`)
    }
  })

  test(`ffmpeg reads each playlist of ${name} without a warning`, async () => {
    for (const url of await mediaPlaylists(clip)) assert.equal((await reads(url, clip, 'frames')).length, 1, url)
    const all = await reads(clip.master, clip, 'packets')
    assert.equal(all.filter((type) => type === 'video').length, clip.levels.length)
  })
}

test('the best quality of copied is the source, bit by bit', async () => {
  const { source, master } = clips.copied
  const { variants } = await parse(master)
  const hash = async (input) =>
    String((await run('ffmpeg', '-i', input, '-map', '0:v', '-c', 'copy', '-f', 'streamhash', '-')).stdout)
  assert.equal(await hash(new URL(variants[0].uri, master).href), await hash(source))
})

test('flash and beep come at once, at each second', async () => {
  const { master, times } = clips.encoded
  const pixels = (await run('ffmpeg', '-i', master, '-map', '0:v:0', '-vf', 'scale=1:1', '-vsync', 'passthrough',
    '-f', 'rawvideo', '-pix_fmt', 'gray', '-')).stdout
  const flashes = times.flatMap((time, n) => (pixels[n] > 220 ? [time] : []))
  assert.deepEqual(flashes.map(Math.round), Array.from({ length: 14 }, (_, second) => second))

  const rate = 48_000
  const { stdout } = await run('ffmpeg', '-i', master, '-map', '0:a:0', '-af', 'aresample=async=1:first_pts=0',
    '-ac', '1', '-ar', `${rate}`, '-f', 's16le', '-')
  // Not the first: the first 10 ms of what the worker makes are faint, those of the source are not.
  for (const flash of flashes.slice(1)) {
    let at = Math.round((flash - 0.5) * rate)
    while (at * 2 < stdout.length && Math.abs(stdout.readInt16LE(at * 2)) < 8_000) at += 1
    assert.ok(Math.abs(at / rate - flash) < 0.005, `the beep of second ${flash} comes at ${at / rate}`)
  }
})

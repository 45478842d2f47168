// The files that tests upload. They are made once and kept under target, by what they are made of.
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { appendFile, copyFile, mkdir, mkdtemp, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const kept = join(process.env.FRAMEFARM_PAGE_OUTPUT, 'clips')
const place = process.env.FRAMEFARM_PAGE_DIR
const run = promisify(execFile)

/** MPEG-4 part 2, which no browser takes: it must be encoded. */
const codecs = ['-c:v', 'mpeg4', '-q:v', '8', '-g', '25', '-c:a', 'aac', '-b:a', '64k']
const video = (seconds, rate, filters = '') => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=640x360:r=${rate}:d=${seconds}${filters}`],
  ...['-f', 'lavfi', '-i', `sine=d=${seconds}`, ...codecs],
]

const recipes = {
  /** Done in a second or two. */
  short: video(4, 12),
  /** Plays for as long as something else is done. */
  playing: video(40, 12),
  /** This one is caught while it is encoded. */
  long: video(150, 25, ',noise=alls=5:allf=t'),
  /** The same with a scratch here and there, all the way through: it can be decoded, and the decoder complains. */
  scratched: [...video(150, 25, ',noise=alls=5:allf=t'), '-bsf:v', 'noise=amount=3000*(1-key)'],
}

/** A video under a name of its own. No two are the same to the farm, which would do the work once only. */
export async function clip(kind, name) {
  const recipe = createHash('sha256').update(recipes[kind].join(' ')).digest('hex')
  const source = join(kept, `${kind}-${recipe.slice(0, 12)}.mkv`)
  if (!(await exists(source))) {
    await mkdir(kept, { recursive: true })
    // Whole or not there: a run may be ended halfway.
    const part = `${source}.part`
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...recipes[kind], '-f', 'matroska', part])
    await rename(part, source)
  }
  const file = await placeFor(`${name}.mkv`)
  await copyFile(source, file)
  // An element that readers of Matroska skip.
  await appendFile(file, Buffer.concat([Buffer.from([0xec, 0x90]), randomBytes(16)]))
  return file
}

/** A text that calls itself a video. */
export async function text(name) {
  const file = await placeFor(`${name}.mp4`)
  await writeFile(file, `Dear reader,\nthis is a letter and no video.\n${randomBytes(16).toString('hex')}\n`)
  return file
}

/** Something else than a video, by its first bytes. */
export async function head(name, start) {
  const file = await placeFor(name)
  await writeFile(file, Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(64), randomBytes(64)]))
  return file
}

/** Bytes and nothing else; they take no room on the disk. */
export async function bytes(name, size) {
  const file = await placeFor(name)
  await writeFile(file, randomBytes(16))
  await truncate(file, size)
  return file
}

async function placeFor(name) {
  return join(await mkdtemp(join(place, 'clip-')), name)
}

async function exists(file) {
  return (await stat(file).catch(() => null)) !== null
}

/** Makes what is missing, before the clock of any test runs. */
export async function makeAll() {
  for (const kind of Object.keys(recipes)) await rm(await clip(kind, kind))
}

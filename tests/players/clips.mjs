// The clips that scripts/players has made and uploaded: what their sources hold, and where they play.
import { execFileSync } from 'node:child_process'

const urls = process.env.FRAMEFARM_PLAYLISTS.split('\n')
const size = (width, height) => ({ width, height })

/** When each frame of a source is shown, in seconds after the first. */
function frameTimes(source) {
  const options = ['-v', 'error', '-of', 'json', '-select_streams', 'v', '-show_entries', 'packet=pts_time']
  const { packets } = JSON.parse(execFileSync('ffprobe', [...options, source]))
  const times = packets.map((packet) => Number(packet.pts_time)).sort((a, b) => a - b)
  return times.map((time) => time - times[0])
}

/** `levels` from the smallest, as hls.js counts them; `frame` is the shortest time that a frame is shown. */
function clip(file, { frame, levels, seconds }) {
  const source = `${process.env.FRAMEFARM_CLIPS}/${file}`
  const master = urls.find((url) => url.includes(`/videos/${file.split('.')[0]}-`))
  const times = levels.length > 0 ? frameTimes(source) : []
  return { source, master, levels, frame, times, duration: seconds ?? times.at(-1) + frame }
}

export const clips = {
  encoded: clip('encoded.mkv', { frame: 1 / 25, levels: [size(640, 360), size(852, 480), size(1280, 720)] }),
  copied: clip('copied.mp4', { frame: 1 / 25, levels: [size(640, 360), size(854, 480)] }),
  variable: clip('variable.mkv', { frame: 1 / 30, levels: [size(640, 360)] }),
  portrait: clip('portrait.mkv', { frame: 1001 / 24000, levels: [size(360, 640)] }),
  surround: clip('surround.mkv', { frame: 1 / 25, levels: [size(640, 360), size(640, 360)] }),
  // A frame of AAC.
  sound: clip('sound.m4a', { frame: 1024 / 44100, levels: [], seconds: 10 }),
}

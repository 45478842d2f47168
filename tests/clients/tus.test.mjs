// tus-js-client, the client that the admin page uses, against a running server. Started by scripts/clients.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Upload } from 'tus-js-client'

const MIB = 1024 * 1024
const server = process.env.FRAMEFARM_URL
const headers = { Authorization: `Bearer ${process.env.FRAMEFARM_TOKEN}` }

/** Bytes that open like an MP4 and are never the same twice, so that no upload is taken for another. */
function source(size) {
  const bytes = randomBytes(size)
  const ftyp = Buffer.from('\0\0\0\x14ftypisom\0\0\x02\0isom', 'latin1')
  ftyp.copy(bytes)
  bytes.writeUInt32BE(size - ftyp.length, ftyp.length)
  bytes.write('mdat', ftyp.length + 4, 'latin1')
  return bytes
}

/** Uploads until done, or until `configure` stops it by calling `stop`; answers with the Upload and what it heard. */
function send(bytes, options = {}, configure = () => {}) {
  return new Promise((resolve, reject) => {
    const statuses = []
    const upload = new Upload(bytes, {
      endpoint: `${server}/api/uploads`,
      headers,
      retryDelays: null,
      onAfterResponse: (request, response) => statuses.push(`${request.getMethod()} ${response.getStatus()}`),
      onSuccess: () => resolve({ upload, statuses }),
      onError: reject,
      ...options,
    })
    configure(upload, () => upload.abort().then(() => resolve({ upload, statuses }), reject))
    upload.start()
  })
}

async function videoTitled(title) {
  for (let cursor = ''; ; ) {
    const answer = await fetch(`${server}/api/videos?limit=100${cursor}`, { headers })
    assert.equal(answer.status, 200)
    const page = await answer.json()
    const found = page.items.find((video) => video.title === title)
    if (found || !page.next_cursor) return found
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

const head = (url) => fetch(url, { method: 'HEAD', headers: { ...headers, 'Tus-Resumable': '1.0.0' } })
const titled = (title) => ({ metadata: { filename: `${title}.mp4`, filetype: 'video/mp4', title } })
const unique = (words) => `${words} ${randomUUID()}`

test('an upload of 20 MiB becomes a video', async () => {
  const title = unique('plain')
  await send(source(20 * MIB), titled(title))
  assert.ok(await videoTitled(title))
})

test('a title in any script arrives whole', async () => {
  const title = unique('Überfahrt – 東京 🎬 שלום')
  await send(source(MIB), titled(title))
  assert.ok(await videoTitled(title))
})

test('an aborted upload goes on from where the server is, in a fresh client', async () => {
  const title = unique('resumed')
  const bytes = source(20 * MIB)
  const first = await send(bytes, { ...titled(title), chunkSize: 2 * MIB }, (upload, stop) => {
    upload.options.onChunkComplete = (_size, accepted) => accepted >= 6 * MIB && stop()
  })
  const offset = Number((await head(first.upload.url)).headers.get('Upload-Offset'))
  assert.ok(offset >= 6 * MIB && offset < bytes.length, `stopped in the middle, at ${offset}`)
  assert.equal(await videoTitled(title), undefined, 'half a file is no video')

  const progress = []
  const second = await send(bytes, {
    uploadUrl: first.upload.url,
    chunkSize: 2 * MIB,
    onProgress: (sent) => progress.push(sent),
  })
  assert.match(second.statuses[0], /^HEAD 20[04]$/)
  assert.ok(progress[0] >= offset, 'nothing was sent twice')
  assert.ok(await videoTitled(title))
})

test('a terminated upload is gone', async () => {
  const title = unique('terminated')
  const { upload } = await send(source(8 * MIB), { ...titled(title), chunkSize: MIB }, (upload, stop) => {
    upload.options.onChunkComplete = () => stop()
  })
  await Upload.terminate(upload.url, { headers, retryDelays: null })
  assert.ok([404, 410].includes((await head(upload.url)).status))
  assert.equal(await videoTitled(title), undefined)
})

test('eight uploads at once all arrive', async () => {
  const titles = Array.from({ length: 8 }, (_, n) => unique(`parallel ${n}`))
  await Promise.all(titles.map((title) => send(source(3 * MIB), { ...titled(title), chunkSize: MIB })))
  for (const title of titles) assert.ok(await videoTitled(title), title)
})

test('a wrong token is refused with 401', async () => {
  const refused = send(source(MIB), { headers: { Authorization: 'Bearer wrong' } })
  await assert.rejects(refused, (error) => error.originalResponse.getStatus() === 401)
})

// Playlists, read strictly.
import assert from 'node:assert/strict'
import * as HLS from 'hls-parser'

HLS.setOptions({ strictMode: true })

export async function parse(url) {
  const answer = await fetch(url)
  assert.equal(answer.status, 200, `${url}`)
  return HLS.parse(await answer.text())
}

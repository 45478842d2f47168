// Signed webhooks against the JavaScript library of Standard Webhooks. Started by scripts/clients.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'

const server = process.env.FRAMEFARM_URL
const headers = { Authorization: `Bearer ${process.env.FRAMEFARM_TOKEN}`, 'Content-Type': 'application/json' }

async function call(method, path, body) {
  const answer = await fetch(server + path, { method, headers, body: body && JSON.stringify(body) })
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`)
  return answer.status === 204 ? null : answer.json()
}

/** A webhook on a port of its own that keeps what it hears. */
async function receiver() {
  const heard = []
  const listening = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(200).end('ok')
  })
  await new Promise((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return { heard, url: `http://127.0.0.1:${listening.address().port}/hook`, close: () => listening.close() }
}

test('signatures verify, also with both secrets while one is replaced', async () => {
  const { heard, url, close } = await receiver()
  const { endpoint, secret } = await call('POST', '/api/alerts/endpoints', { name: 'node – 東京', url })
  const path = `/api/alerts/endpoints/${endpoint.id}`
  try {
    assert.equal((await call('POST', `${path}/test`)).delivery.status, 'delivered')
    const { secret: fresh } = await call('POST', `${path}/rotate-secret`)
    await call('POST', `${path}/test`)
    assert.equal(heard.length, 2)
    const verify = (key, { body, headers }) => new Webhook(key).verify(body, headers)
    assert.equal(verify(secret, heard[0]).type, 'alert.test')
    assert.throws(() => verify(fresh, heard[0]))
    for (const key of [secret, fresh]) assert.equal(verify(key, heard[1]).data.state, 'test')
    assert.throws(() => verify(secret, { ...heard[0], body: heard[0].body.replace('Test', 'Fest') }))
    assert.notEqual(heard[0].headers['webhook-id'], heard[1].headers['webhook-id'])
  } finally {
    await call('DELETE', path)
    close()
  }
})

// Takes webhooks, as Slack or a program of somebody's would. What it answers can be changed.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

export class Receiver {
  #server
  #answer = { status: 200, body: 'ok' }
  /** Everything that came: `headers` and the parsed `body`. */
  heard = []

  static async open() {
    const receiver = new Receiver()
    receiver.#server = createServer((request, response) => receiver.#take(request, response)).listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get place() {
    return `127.0.0.1:${this.#server.address().port}`
  }

  url(path) {
    return `http://${this.place}${path}`
  }

  answer(status, body = '') {
    this.#answer = { status, body }
  }

  close() {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #take(request, response) {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    this.heard.push({ path: request.url, headers: request.headers, text, body: JSON.parse(text) })
    response.writeHead(this.#answer.status).end(this.#answer.body)
  }
}

/** Whether the secret made the signature of a message, by Standard Webhooks. */
export function isSigned({ headers, text }, secret) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const wanted = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  return headers['webhook-signature'].split(' ').includes(wanted)
}

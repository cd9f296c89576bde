// One hop of the demo: reads a MessagePack message from standard input, adds who was here, and writes it back.
//
//   hop.mjs node                     in this process
//   hop.mjs chromium [executable]    in a headless browser, over a page and a server of its own
//
// Exits 3 where the browser is not installed.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The page runs this, and so does Node: the same package, the same code.
const change = `(samewire, bytes, who) => {
  const message = samewire.decode(bytes)
  const before = samewire.digest(message)
  message.seen_by.push(who + ' (' + samewire.engine + ')')
  return { before, bytes: samewire.encode(message) }
}`
const hex = (bytes) => Buffer.from(bytes).toString('hex')
const [where, executable = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)] = process.argv.slice(2)
const input = readFileSync(0)

function done(before, bytes) {
  process.stdout.write(JSON.stringify({ before, bytes: hex(bytes) }))
}

if (where === 'node') {
  const samewire = await import('samewire')
  const result = (0, eval)(change)(samewire, input, `Node ${process.versions.node}`)
  done(hex(result.before), result.bytes)
} else if (executable === undefined) {
  process.exit(3)
} else {
  const dist = fileURLToPath(new URL('../../bindings-wasm/dist/', import.meta.url))
  const page = `<!doctype html><meta charset="utf-8"><title>samewire</title><script type="module">
    import * as samewire from '/index.js'
    const bytes = new Uint8Array(await (await fetch('/message')).arrayBuffer())
    const who = 'Chromium ' + navigator.userAgent.match(/Chrom\\w+\\/(\\d+)/)[1]
    const result = (${change})(samewire, bytes, who)
    await fetch('/done?' + Array.from(result.before, (b) => b.toString(16).padStart(2, '0')).join(''), { method: 'POST', body: result.bytes })
  </script>`
  const profile = mkdtempSync(join(tmpdir(), 'samewire-demo-'))
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://localhost')
    const send = (type, body) => response.writeHead(200, { 'Content-Type': type }).end(body)
    if (pathname === '/') return send('text/html', page)
    // The package's modules, as they are.
    if (/^\/[\w-]+\.js$/.test(pathname) && existsSync(join(dist, pathname))) return send('text/javascript', readFileSync(join(dist, pathname)))
    if (pathname === '/message') return send('application/vnd.msgpack', input)
    if (pathname !== '/done') return response.writeHead(404).end()
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(204).end()
      done(search.slice(1), Buffer.concat(chunks))
      end(0)
    })
  })
  let browser
  const end = (status) => {
    try {
      process.kill(-browser.pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
    setTimeout(() => {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
      process.exit(status)
    }, 200)
  }
  server.listen(0, '127.0.0.1', () => {
    const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
    browser = spawn(executable, [...quiet, `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { detached: true, stdio: 'ignore' })
  })
  setTimeout(() => {
    console.error('the browser did not answer within 60 s')
    end(1)
  }, 60_000)
}

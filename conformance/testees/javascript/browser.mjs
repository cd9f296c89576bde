// A real browser as a testee: node browser.mjs chromium | firefox | webkit. It serves a page that takes each line of requests
// from here and posts its answers back; a driver is needed for WebKitGTK only. The browser ends with this program.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { openInWebkit, webkitLacks } from './webkit.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const dist = dirname(process.env.SAMEWIRE_PATH)
const browser = process.argv[2]

const PAGE = `<!doctype html><meta charset="utf-8"><title>testee</title><script type="module">
import * as samewire from '/package/index.js'
import { answers } from '/testee/tagged.mjs'
import { testee } from '/testee/samewire.mjs'
const name = /Firefox\\/[0-9.]+/.exec(navigator.userAgent)?.[0] ?? /Chrome\\/[0-9.]+/.exec(navigator.userAgent)?.[0] ?? /Version\\/[0-9.]+/.exec(navigator.userAgent)?.[0].replace('Version', 'WebKit') ?? navigator.userAgent
const own = testee(samewire, name.replace('/', ' '))
let body = null
for (;;) {
  const response = await fetch('/next', { method: 'POST', body })
  body = JSON.stringify(await answers(await response.json(), own))
}
</script>`
const TYPES = { js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm' }

const lines = []
let waiting = null
const give = () => {
  if (waiting && lines.length) {
    waiting.writeHead(200, { 'content-type': 'application/json' }).end(lines.shift())
    waiting = null
  }
}
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  if (pathname === '/next') {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (chunks.length) process.stdout.write(Buffer.concat([...chunks, Buffer.from('\n')]))
      waiting = response
      give()
    })
    return
  }
  const folder = { package: dist, testee: here }[pathname.split('/')[1]]
  try {
    const name = basename(pathname)
    const body = readFileSync(join(folder, name))
    response.writeHead(200, { 'content-type': TYPES[name.split('.').pop()] ?? 'application/octet-stream' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
})

if (browser === 'webkit' && webkitLacks()) {
  console.error(webkitLacks())
  process.exit(77)
}
const profile = mkdtempSync(join(tmpdir(), 'testee-'))
const children = []
let ending = false
const end = (code) => {
  if (ending) return
  ending = true
  for (const child of children) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }
  setTimeout(() => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    process.exit(code)
  }, 200)
}
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}/`
  const commands = {
    chromium: [process.env.CHROMIUM ?? 'chromium', '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', `--user-data-dir=${profile}`, url],
    firefox: [process.env.FIREFOX ?? 'firefox', '--headless', '--no-remote', '--profile', profile, url],
  }
  if (browser === 'firefox') writeFileSync(join(profile, 'user.js'), 'user_pref("browser.shell.checkDefaultBrowser", false);\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
  if (browser === 'webkit') {
    openInWebkit(url, profile, (child) => children.push(child)).catch((e) => {
      console.error(`WebKitGTK: ${e.message}`)
      end(1)
    })
    return
  }
  const [program, ...argv] = commands[browser]
  const child = spawn(program, argv, { stdio: 'ignore', detached: true, env: { ...process.env, HOME: profile, MOZ_HEADLESS: '1' } })
  children.push(child)
  child.on('error', (e) => {
    console.error(`${program}: ${e.message}`)
    end(77)
  })
  child.on('exit', (code) => {
    if (!ending) console.error(`${program} ended with ${code}`)
    end(1)
  })
})
createInterface({ input: process.stdin }).on('line', (line) => {
  lines.push(line)
  give()
}).on('close', () => end(0))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => end(1))

// Runs the suite in a real browser, on a plain page and under a strict Content-Security-Policy:
// browser.mjs chromium|firefox|webkit [--only=TEXT]. Exits 3 where the browser is not installed.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LIMIT = 240_000
const STRICT = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
const root = fileURLToPath(new URL('..', import.meta.url))
const [browser, ...flags] = process.argv.slice(2)
const only = flags.find((f) => f.startsWith('--only='))?.slice(7) ?? ''
const first = (...paths) => paths.find((p) => existsSync(p))
const binary = {
  chromium: first('/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'),
  firefox: first('/usr/bin/firefox-esr', '/usr/bin/firefox'),
  webkit: first('/usr/bin/WebKitWebDriver'),
}[browser]
if (binary === undefined) {
  console.log(`skipped ${browser}: not installed`)
  process.exit(3)
}

const files = {
  '/samewire.js': ['dist/index.js', 'text/javascript'],
  '/slim.js': ['dist/slim.js', 'text/javascript'],
  '/suite.js': ['tests/dist/suite.js', 'text/javascript'],
  '/vectors.json': ['tests/dist/vectors.json', 'application/json'],
  '/page.js': ['tests/page.js', 'text/javascript'],
  '/linear.js': ['tests/linear.js', 'text/javascript'],
  '/worker.js': ['tests/worker.js', 'text/javascript'],
}
const isolation = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cache-Control': 'no-store' }
const children = []
const profile = mkdtempSync(join(tmpdir(), 'samewire-browser-'))
let exit = 0

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://x')
  if (request.method === 'POST') {
    let body = ''
    request.on('data', (d) => (body += d))
    request.on('end', () => {
      response.writeHead(204, isolation).end()
      if (pathname === '/result') finished(JSON.parse(body))
    })
    return
  }
  if (pathname === '/plain' || pathname === '/strict') {
    const headers = { ...isolation, 'Content-Type': 'text/html' }
    if (pathname === '/strict') headers['Content-Security-Policy'] = STRICT
    // An import map is a script in the page, which the strict policy forbids.
    const map = pathname === '/plain' ? '<script type=importmap>{"imports":{"samewire":"/samewire.js"}}</script>' : ''
    response.writeHead(200, headers).end(`<!doctype html><meta charset=utf-8><title>samewire</title>${map}<script type=module src=/page.js></script>`)
    return
  }
  // What the package's script imports of its own.
  const file = /^\/chunk-\w+\.js$/.test(pathname) ? [`dist${pathname}`, 'text/javascript'] : files[pathname]
  if (file === undefined) return response.writeHead(404, isolation).end()
  response.writeHead(200, { ...isolation, 'Content-Type': file[1] }).end(readFileSync(join(root, file[0])))
})

function finished(result) {
  const label = `${browser}${result.strict ? ' strict' : ''}`
  for (const { name, error } of result.failed.slice(0, 20)) console.log(`FAILED ${label}: ${name}\n    ${error.split('\n').slice(0, 3).map((l) => l.slice(0, 300)).join('\n    ')}`)
  for (const name of result.skipped) console.log(`skipped ${label}: ${name}`)
  console.log(`${label} (${result.engine}): ${result.passed} passed, ${result.failed.length} failed, ${result.skipped.length + result.left} skipped`)
  if (result.failed.length > 0) exit = 1
  if (result.strict) end(exit)
}

function end(code) {
  for (const child of children) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
  setTimeout(() => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    process.exit(code)
  }, 300)
}
setTimeout(() => {
  console.log(`FAILED ${browser}: no answer within ${LIMIT / 1000} s`)
  end(1)
}, LIMIT).unref()

function start(command, args, env = {}) {
  const child = spawn(command, args, { detached: true, stdio: process.env.VERBOSE ? 'inherit' : 'ignore', env: { ...process.env, ...env } })
  children.push(child)
  return child
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address()
  // The plain page goes on to the strict one by itself.
  const url = `http://127.0.0.1:${port}/plain?only=${encodeURIComponent(only)}`
  if (browser === 'chromium') {
    start(binary, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--js-flags=--expose-gc', '--enable-precise-memory-info', `--user-data-dir=${profile}`, url])
  } else if (browser === 'firefox') {
    const off = ['datareporting.policy.dataSubmissionEnabled', 'browser.shell.checkDefaultBrowser', 'toolkit.telemetry.enabled', 'app.update.enabled', 'network.captive-portal-service.enabled', 'network.connectivity-service.enabled', 'browser.safebrowsing.malware.enabled', 'browser.safebrowsing.phishing.enabled', 'app.normandy.enabled', 'extensions.update.enabled']
    writeFileSync(join(profile, 'user.js'), `${off.map((p) => `user_pref("${p}",false);`).join('\n')}\nuser_pref("dom.max_script_run_time",0);user_pref("browser.startup.homepage_override.mstone","ignore");`)
    start(binary, ['--headless', '--no-remote', '--profile', profile, url], { HOME: profile })
  } else {
    const display = `:${90 + (process.pid % 100)}`
    start('/usr/bin/Xvfb', [display, '-screen', '0', '1280x800x24', '-nolisten', 'tcp'])
    await pause(1000)
    const driver = port + 1 > 65000 ? port - 7 : port + 1
    start(binary, [`--port=${driver}`, '--host=127.0.0.1'], { DISPLAY: display, HOME: profile, XDG_RUNTIME_DIR: profile, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1', GIO_USE_VFS: 'local', NO_AT_BRIDGE: '1' })
    await pause(1000)
    const post = async (path, body) => (await fetch(`http://127.0.0.1:${driver}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
    const mini = first('/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser', '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser', '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser')
    try {
      const session = await post('/session', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary: mini, args: ['--automation'] } } } })
      await post(`/session/${session.value.sessionId}/url`, { url })
    } catch (error) {
      console.log(`FAILED webkit: ${error}`)
      end(1)
    }
  }
})

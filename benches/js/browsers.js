// Drives real browsers through the race: serves the page on loopback, starts the browser with a profile of its own, waits
// for the result. `node browsers.js BROWSER [--csp] [--quick] [--op OP]… [--payload NAME]… [--limit SECONDS] --out FILE`.
// Browsers: chromium, firefox, webkit (MiniBrowser under Xvfb, by WebKitWebDriver).

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { options, payloadFiles } from './files.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const o = options(process.argv.slice(2))
const browser = o.rest.find((a) => !a.startsWith('--'))
const csp = o.rest.includes('--csp')
const at = o.rest.indexOf('--limit')
const limit = at >= 0 ? Number(o.rest[at + 1]) : 1500

const program = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  firefox: ['firefox-esr', 'firefox'],
  webkit: ['WebKitWebDriver'],
}[browser]
if (!program) throw new Error('a browser: chromium, firefox or webkit')
const found = program.map((p) => spawnSync('which', [p], { encoding: 'utf8' }).stdout.trim()).find(Boolean)
if (!found) {
  console.error(`${program[0]} is not installed; tools/bench-browsers --setup installs it`)
  process.exit(3)
}

// ---- what the page needs

const page = await build({
  entryPoints: [join(here, 'page.js')],
  bundle: true,
  format: 'esm',
  target: 'es2022',
  write: false,
  logLevel: 'error',
})
const script = page.outputFiles[0].text
const loop = readFileSync(join(here, 'sample.js')) // not bundled: the page imports it many times over
const own = join(here, '../../node_modules/samewire')
const entry = existsSync(own) ? entryOf(own) : null
if (!entry) console.error('the package samewire is not built: the peers race alone')

/** The module that a browser gets, by the package's own `exports`. */
function entryOf(folder) {
  const pick = (x) => {
    if (typeof x === 'string') return x
    for (const condition of Object.keys(x)) {
      if (['browser', 'import', 'module', 'default'].includes(condition)) {
        const inner = pick(x[condition])
        if (inner) return inner
      }
    }
  }
  const meta = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return pick(meta.exports['.'] ?? meta.exports)
}

const label = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKitGTK' }[browser]
const configuration = JSON.stringify({
  runtime: label + (csp ? ' under CSP' : ''),
  config: { ops: o.ops, rounds: o.rounds, ms: o.ms, warm: o.warm },
  files: payloadFiles(o.payloads),
  ours: entry && new URL(entry, 'http://x/samewire/').pathname,
})
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' }

const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://x').pathname
  // Isolated pages get a clock of microseconds.
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cache-Control': 'no-store',
    ...(csp && { 'Content-Security-Policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" }),
  }
  const send = (type, body) => response.writeHead(200, { ...headers, 'Content-Type': type }).end(body)
  if (request.method === 'POST') {
    let body = ''
    request.on('data', (d) => (body += d))
    request.on('end', () => {
      response.writeHead(204, headers).end()
      if (path === '/result') finish(JSON.parse(body))
      else if (process.stderr.isTTY) process.stderr.write(`\r${JSON.parse(body).padEnd(60)}\r`)
    })
  } else if (path === '/') send('text/html', '<!doctype html><meta charset=utf-8><title>race</title><script type=module src=/page.js></script>')
  else if (path === '/page.js') send('text/javascript', script)
  else if (path === '/sample.js') send('text/javascript', loop)
  else if (path === '/config.json') send('application/json', configuration)
  else if (path.startsWith('/samewire/')) {
    const file = join(own, normalize(path.slice('/samewire'.length)))
    if (file.startsWith(own) && existsSync(file) && statSync(file).isFile()) send(types[extname(file)] ?? 'application/octet-stream', readFileSync(file))
    else response.writeHead(404, headers).end()
  } else response.writeHead(404, headers).end()
})

// ---- the browser

const profile = mkdtempSync(join(tmpdir(), 'samewire-bench-'))
const children = []
function start(command, args, env = {}) {
  const child = spawn(command, args, {
    detached: true,
    stdio: process.env.VERBOSE ? 'inherit' : 'ignore',
    env: { ...process.env, HOME: profile, XDG_RUNTIME_DIR: profile, ...env },
  })
  child.on('error', (error) => fail(`${command}: ${error.message}`))
  children.push(child)
}

function stop(code) {
  for (const child of children) {
    try {
      process.kill(-child.pid, 'SIGKILL') // the group that we started, and nothing else
    } catch {
      // already gone
    }
  }
  setTimeout(() => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    process.exit(code)
  }, 300)
}

function fail(why) {
  console.error(`${label}: ${why}`)
  stop(2)
}

function finish(result) {
  if (result.error) return fail(result.error)
  if (!result.isolated) console.error(`${label}: the page is not isolated, its clock is coarse`)
  writeFileSync(o.out, JSON.stringify(result.cells))
  console.error(`${label}: ${result.agent}`)
  stop(0)
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

async function webkit(url) {
  const display = `:${90 + (process.pid % 400)}`
  start('Xvfb', [display, '-screen', '0', '1280x800x24', '-nolisten', 'tcp'])
  await pause(1000)
  const port = 20000 + (process.pid % 20000)
  start(found, [`--port=${port}`, '--host=127.0.0.1'], {
    DISPLAY: display,
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', // as root there is no other way; the page is our own
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
    GIO_USE_VFS: 'local',
    NO_AT_BRIDGE: '1',
  })
  await pause(1000)
  const call = async (path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) })
    const { value } = await answer.json()
    if (value?.error) throw new Error(`${value.error}: ${value.message}`)
    return value
  }
  const lib = ['4.1', '4.0', '6.0'].map((v) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${v}/MiniBrowser`).find((p) => existsSync(p))
  const wanted = { 'webkitgtk:browserOptions': { binary: lib ?? 'MiniBrowser', args: ['--automation'] } }
  const session = await call('/session', { capabilities: { alwaysMatch: wanted } })
  await call(`/session/${session.sessionId}/url`, { url })
}

setTimeout(() => fail(`no result within ${limit} s`), limit * 1000).unref()
server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/`
  try {
    if (browser === 'chromium') {
      const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu']
      start(found, ['--headless', '--no-sandbox', ...quiet, `--user-data-dir=${profile}/data`, url])
    } else if (browser === 'firefox') {
      const off = [
        'datareporting.policy.dataSubmissionEnabled', 'browser.shell.checkDefaultBrowser', 'toolkit.telemetry.enabled', 'app.update.enabled',
        'network.captive-portal-service.enabled', 'network.connectivity-service.enabled', 'browser.safebrowsing.malware.enabled',
        'browser.safebrowsing.phishing.enabled', 'app.normandy.enabled', 'extensions.update.enabled', 'services.settings.enabled',
      ]
      const prefs = off.map((p) => `user_pref("${p}", false);`)
      prefs.push('user_pref("dom.max_script_run_time", 0);', 'user_pref("browser.startup.homepage_override.mstone", "ignore");')
      writeFileSync(join(profile, 'user.js'), prefs.join('\n'))
      start(found, ['--headless', '--no-remote', '--profile', profile, url])
    } else await webkit(url)
  } catch (error) {
    fail(String(error?.message ?? error))
  }
})

// WebKitGTK shows a page only through its driver, on a display of its own. Nothing waits a fixed time: what is
// started is asked until it answers.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'

const DRIVER = '/usr/bin/WebKitWebDriver'
const BROWSERS = ['x86_64', 'aarch64'].flatMap((arch) => ['4.1', '4.0'].map((v) => `/usr/lib/${arch}-linux-gnu/webkit2gtk-${v}/MiniBrowser`))

/** Why WebKitGTK cannot run here, or undefined. */
export function webkitLacks() {
  if (!existsSync(DRIVER)) return 'there is no WebKitWebDriver'
  if (!existsSync('/usr/bin/Xvfb')) return 'there is no Xvfb'
  if (!BROWSERS.some(existsSync)) return 'there is no MiniBrowser'
}

const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(port))
  })
})

/** Opens `url`, and gives every process that was started to `started`. */
export async function openInWebkit(url, profile, started) {
  const options = { stdio: 'ignore', detached: true }
  // Xvfb picks a free display and says which.
  const xvfb = spawn('/usr/bin/Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], { ...options, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  started(xvfb)
  const display = await new Promise((resolve, reject) => {
    let text = ''
    xvfb.stdio[3].on('data', (d) => {
      text += d
      if (text.includes('\n')) resolve(`:${text.trim()}`)
    })
    xvfb.on('exit', () => reject(new Error('Xvfb ended')))
    xvfb.on('error', reject)
  })
  const port = await freePort()
  started(spawn(DRIVER, [`--port=${port}`, '--host=127.0.0.1'], {
    ...options,
    env: { ...process.env, DISPLAY: display, HOME: profile, XDG_RUNTIME_DIR: profile, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1', GIO_USE_VFS: 'local', NO_AT_BRIDGE: '1' },
  }))
  const post = async (path, body) => {
    for (let left = 100; ; left--) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) })
        return await response.json()
      } catch (error) {
        if (left === 0) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
  const binary = BROWSERS.find(existsSync)
  const session = await post('/session', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } } } })
  await post(`/session/${session.value.sessionId}/url`, { url })
}

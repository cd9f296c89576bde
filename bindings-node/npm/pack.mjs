// Lays out the npm packages of the native engine, as the ecosystem does: one package for each platform, and the main
// package naming them all as optional dependencies, so that npm installs the one that fits.
//
//   node pack.mjs platform node-linux-x64-gnu path/to/addon OUT     one platform's package, in OUT/
//   node pack.mjs main OUT                                          the main package, with its dependencies, in OUT/
//
// Nothing is published here: that is the release workflow's last step.
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What npm compares with the machine. */
const PLATFORMS = {
  'node-linux-x64-gnu': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'node-linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  'node-linux-arm64-gnu': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
  'node-darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
  'node-darwin-x64': { os: ['darwin'], cpu: ['x64'] },
  'node-win32-x64-msvc': { os: ['win32'], cpu: ['x64'] },
}

const main = fileURLToPath(new URL('../../bindings-wasm/', import.meta.url))
const manifest = JSON.parse(readFileSync(join(main, 'package.json'), 'utf8'))
const { version, license, repository, engines } = manifest
const [kind, ...args] = process.argv.slice(2)

function licences(out) {
  for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(join(main, '..', name), join(out, name))
}

if (kind === 'platform' && args.length === 3) {
  const [name, addon, out] = args
  const fits = PLATFORMS[name]
  if (fits === undefined) throw new Error(`${name} is none of ${Object.keys(PLATFORMS).join(', ')}`)
  mkdirSync(out, { recursive: true })
  copyFileSync(addon, join(out, 'samewire.node'))
  licences(out)
  const description = `The native engine of samewire for ${name.slice(5)}`
  writeFileSync(join(out, 'README.md'), `${description}. It is an optional dependency of the package \`samewire\`, which runs without it as well.\n`)
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ name: `@samewire/${name}`, version, description, license, repository, engines, main: 'samewire.node', files: ['samewire.node'], ...fits }, null, 2)}\n`)
} else if (kind === 'main' && args.length === 1) {
  const [out] = args
  mkdirSync(out, { recursive: true })
  cpSync(join(main, 'dist'), join(out, 'dist'), { recursive: true, filter: (f) => !f.endsWith('.node') })
  licences(out)
  copyFileSync(join(main, '../docs/javascript.md'), join(out, 'README.md'))
  const { devDependencies: _, ...published } = manifest
  published.optionalDependencies = Object.fromEntries(Object.keys(PLATFORMS).map((name) => [`@samewire/${name}`, version]))
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
} else {
  console.error('pack.mjs platform NAME ADDON OUT | main OUT')
  process.exit(2)
}

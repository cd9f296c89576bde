// Builds the npm package into dist/: node tools/build.mjs FULL.wasm SLIM.wasm [ADDON]
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const [wasm, slim, addon] = process.argv.slice(2)
if (slim === undefined) throw new Error('which .wasm files?')
process.chdir(root)
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
copyFileSync(wasm, 'dist/samewire.wasm')
// In a checkout the addon lies beside the package; published, it is a package for each platform.
if (addon !== undefined) copyFileSync(addon, `dist/samewire.${process.platform}-${process.arch}${{ linux: '-gnu', win32: '-msvc' }[process.platform] ?? ''}.node`)

const common = { bundle: true, absWorkingDir: root, target: 'es2022', minifySyntax: true, legalComments: 'none', logLevel: 'warning' }
const inlined = (file) => ({ SAMEWIRE_WASM: JSON.stringify(readFileSync(file).toString('base64')) })
const anywhere = { ...common, platform: 'neutral', alias: { '#platform': './js/platform.ts' },
  define: inlined(wasm) }
const node = { ...common, platform: 'node', alias: { '#platform': './js/platform-node.ts' },
  define: { SAMEWIRE_WASM_FILE: '"./samewire.wasm"' } }
const cjsUrl = { 'import.meta.url': 'samewireUrl' }
const banner = { js: "const samewireUrl = require('node:url').pathToFileURL(__filename);" }

await Promise.all([
  build({ ...anywhere, entryPoints: ['js/index.ts'], format: 'esm', outfile: 'dist/index.js' }),
  build({ ...anywhere, entryPoints: ['js/index.ts'], format: 'cjs', outfile: 'dist/index.cjs' }),
  build({ ...anywhere, define: inlined(slim), entryPoints: ['js/slim.ts'], format: 'esm', outfile: 'dist/slim.js' }),
  build({ ...anywhere, define: inlined(slim), entryPoints: ['js/slim.ts'], format: 'cjs', outfile: 'dist/slim.cjs' }),
  build({ ...anywhere, entryPoints: ['js/index.ts'], format: 'esm', outfile: 'dist/workerd.js', alias: { '#platform': './js/platform-workerd.ts' }, external: ['*.wasm'] }),
  build({ ...node, entryPoints: ['js/index.ts'], format: 'esm', outfile: 'dist/node.js' }),
  build({ ...node, entryPoints: ['js/command.ts'], format: 'esm', outfile: 'dist/command.js', banner: { js: '#!/usr/bin/env node' } }),
  build({ ...node, entryPoints: ['js/index.ts'], format: 'cjs', outfile: 'dist/node.cjs', banner, define: { ...node.define, ...cjsUrl } }),
])
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
// For require: the same declarations in a folder that is CommonJS.
cpSync('dist/types', 'dist/types-cjs', { recursive: true })
writeFileSync('dist/types-cjs/package.json', '{"type":"commonjs"}\n')

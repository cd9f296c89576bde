// Builds the npm package into dist/: node tools/build.mjs path/to/samewire_wasm.wasm [path/to/libsamewire_node.so]
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const [wasm, addon] = process.argv.slice(2)
if (wasm === undefined) throw new Error('which .wasm?')
process.chdir(root)
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
copyFileSync(wasm, 'dist/samewire.wasm')
// In a checkout the addon lies beside the package; published, it is a package for each platform.
if (addon !== undefined) copyFileSync(addon, `dist/samewire.${process.platform}-${process.arch}${{ linux: '-gnu', win32: '-msvc' }[process.platform] ?? ''}.node`)

const common = { bundle: true, absWorkingDir: root, target: 'es2022', minifySyntax: true, legalComments: 'none', logLevel: 'warning' }
const anywhere = { ...common, platform: 'neutral', alias: { '#platform': './js/platform.ts' },
  define: { SAMEWIRE_WASM: JSON.stringify(readFileSync(wasm).toString('base64')) } }
const node = { ...common, platform: 'node', alias: { '#platform': './js/platform-node.ts' },
  define: { SAMEWIRE_WASM_FILE: '"./samewire.wasm"' } }
const cjsUrl = { 'import.meta.url': 'samewireUrl' }
const banner = { js: "const samewireUrl = require('node:url').pathToFileURL(__filename);" }

await Promise.all([
  build({ ...anywhere, entryPoints: ['js/index.ts'], format: 'esm', outfile: 'dist/index.js' }),
  build({ ...anywhere, entryPoints: ['js/index.ts'], format: 'cjs', outfile: 'dist/index.cjs' }),
  build({ ...node, entryPoints: ['js/index.ts'], format: 'esm', outfile: 'dist/node.js' }),
  build({ ...node, entryPoints: ['js/index.ts'], format: 'cjs', outfile: 'dist/node.cjs', banner, define: { ...node.define, ...cjsUrl } }),
])
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
// For require: the same declarations in a folder that is CommonJS.
cpSync('dist/types', 'dist/types-cjs', { recursive: true })
writeFileSync('dist/types-cjs/package.json', '{"type":"commonjs"}\n')

// Builds the npm package into dist/: node tools/build.mjs CORE.wasm SCHEMA.wasm SLIM.wasm [ADDON]
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { pack } from './pack-wasm.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [core, schema, slim, addon] = process.argv.slice(2)
if (slim === undefined) throw new Error('which .wasm files?')
process.chdir(root)
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
// In a checkout the addon lies beside the package; published, it is a package for each platform.
if (addon !== undefined) copyFileSync(addon, `dist/samewire.${process.platform}-${process.arch}${{ linux: '-gnu', win32: '-msvc' }[process.platform] ?? ''}.node`)

const OPTIMIZER = ['node_modules/binaryen/bin/wasm-opt', '-Oz', '--strip-debug', '--strip-producers', '--enable-simd', '--enable-bulk-memory',
  '--enable-sign-ext', '--enable-nontrapping-float-to-int']

/** A module without what the compiler left that can be smaller: 3 % compressed. */
function optimized(file, to) {
  execFileSync(process.execPath, [...OPTIMIZER, file, '-o', to], { stdio: 'inherit' })
  return readFileSync(to)
}
const modules = {
  core: optimized(core, 'dist/samewire.wasm'),
  schema: optimized(schema, 'dist/samewire-schema.wasm'),
  slim: optimized(slim, 'dist/slim.wasm'),
}
rmSync('dist/slim.wasm')

const common = { bundle: true, absWorkingDir: root, target: 'es2022', minifySyntax: true, legalComments: 'none', logLevel: 'warning' }
/** `packed:core` and the others: a module as text. */
const packed = {
  name: 'packed',
  setup(build) {
    build.onResolve({ filter: /^packed:/ }, ({ path }) => ({ path: path.slice(7), namespace: 'packed', sideEffects: false }))
    build.onLoad({ filter: /./, namespace: 'packed' }, ({ path }) => ({ contents: `export default ${JSON.stringify(pack(modules[path]))}` }))
  },
}
// Pages load these as they are, so they are made small.
const anywhere = { ...common, minify: true, platform: 'neutral', plugins: [packed], alias: { '#platform': './js/platform.ts', '#tools': './js/tools.ts' } }
const slimmer = { ...anywhere, alias: { '#platform': './js/platform-slim.ts' }, entryPoints: ['js/slim.ts'] }
const workerd = { ...common, platform: 'neutral', alias: { '#platform': './js/platform-workerd.ts', '#tools': './js/tools-workerd.ts' }, external: ['*.wasm'] }
// Half of what importing it takes is reading it.
const node = { ...common, minify: true, platform: 'node', alias: { '#platform': './js/platform-node.ts', '#tools': './js/tools-node.ts' },
  define: { SAMEWIRE_CORE_FILE: '"./samewire.wasm"', SAMEWIRE_SCHEMA_FILE: '"./samewire-schema.wasm"' } }
const cjsUrl = { 'import.meta.url': 'samewireUrl' }
const banner = { js: "const samewireUrl = require('node:url').pathToFileURL(__filename);" }

await Promise.all([
  // In files, so that a bundler which finds no schema used leaves their module out.
  build({ ...anywhere, entryPoints: ['js/index.ts', 'js/core.ts', 'js/schema-tools.ts'], format: 'esm', splitting: true, outdir: 'dist' }),
  build({ ...anywhere, entryPoints: ['js/index.ts'], format: 'cjs', outfile: 'dist/index.cjs' }),
  build({ ...slimmer, format: 'esm', outfile: 'dist/slim.js' }),
  build({ ...slimmer, format: 'cjs', outfile: 'dist/slim.cjs' }),
  build({ ...workerd, entryPoints: ['js/index.ts'], format: 'esm', outfile: 'dist/workerd.js' }),
  build({ ...node, entryPoints: ['js/index.ts'], format: 'esm', outfile: 'dist/node.js' }),
  build({ ...node, entryPoints: ['js/command.ts'], format: 'esm', outfile: 'dist/command.js', banner: { js: '#!/usr/bin/env node' } }),
  build({ ...node, entryPoints: ['js/index.ts'], format: 'cjs', outfile: 'dist/node.cjs', banner, define: { ...node.define, ...cjsUrl } }),
])
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
// For require: the same declarations in a folder that is CommonJS.
cpSync('dist/types', 'dist/types-cjs', { recursive: true })
writeFileSync('dist/types-cjs/package.json', '{"type":"commonjs"}\n')

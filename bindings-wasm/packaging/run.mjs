// Installs the packed package into a project of its own and uses it as people do: bundlers, CommonJS, ES modules,
// type checkers. Counts like the other runners.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..')
const work = join(here, 'work')
process.chdir(here)
if (!existsSync('node_modules/vite')) execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: 'inherit' })

// What npm would publish, unpacked.
rmSync(work, { recursive: true, force: true })
mkdirSync(join(work, 'node_modules'), { recursive: true })
execFileSync('npm', ['pack', '--silent', '--pack-destination', work, root], { stdio: ['ignore', 'ignore', 'inherit'] })
const tar = readdirSync(work).find((f) => f.endsWith('.tgz'))
execFileSync('tar', ['-xzf', join(work, tar), '-C', work])
execFileSync('mv', [join(work, 'package'), join(work, 'node_modules/samewire')])
for (const name of ['typescript', '@types', 'undici-types']) {
  if (existsSync(join(here, 'node_modules', name))) symlinkSync(join(here, 'node_modules', name), join(work, 'node_modules', name))
}
process.chdir(work)
writeFileSync('package.json', '{"private":true,"type":"module"}')

const use = (encode, decode, stringify) => `JSON.stringify([${decode}(${encode}({ a: [1, 'é', 2.5] })), ${stringify}({ b: 1n })])`
const expected = '[{"a":[1,"é",2.5]},"{\\"b\\":1}"]'
writeFileSync('app.js', `import { decode, encode, stringify } from 'samewire'\nexport const result = ${use('encode', 'decode', 'stringify')}\n`)
writeFileSync('slim.js', `import { decode, encode, stringify } from 'samewire/slim'\nexport const result = ${use('encode', 'decode', 'stringify')}\n`)
writeFileSync('common.cjs', `const { decode, encode, stringify } = require('samewire')\nmodule.exports.result = ${use('encode', 'decode', 'stringify')}\n`)
const types = `import { decode, encode, Decoder, Schema, decodeStream, SamewireError, Timestamp, type DecodeOptions, type ErrorCode } from 'samewire'
interface User { name: string; age: number }
const bytes: Uint8Array = encode({ name: 'Ada', age: 36 }, { sortKeys: true })
const user: User = decode<User>(bytes)
const users: User[] = [new Decoder<User>('json').decode('{}'), new Schema<User>({}).decode(bytes)]
const options: DecodeOptions = { int64: 'bigint', objectHook: (o) => Object.keys(o) }
const code: ErrorCode = new SamewireError('truncated', 'x').code
const date: Date = new Timestamp(1, 2)
async function all(): Promise<void> { for await (const u of decodeStream<User>([bytes])) users.push(u) }
// @ts-expect-error an option that does not exist
encode(1, { sortKey: true })
// @ts-expect-error a value outside an option's list
decode(bytes, { int64: 'float' })
// @ts-expect-error MessagePack is bytes
decode('text')
export { user, options, code, date, all }
`
writeFileSync('types.ts', types)
writeFileSync('types.cts', types)

const tests = {
  'an ES module in Node': async () => (await import(pathToFileURL(join(work, 'app.js')).href)).result,
  'a CommonJS script in Node': () => execFileSync(process.execPath, ['-p', "require('./common.cjs').result"], { encoding: 'utf8' }).trim(),
  'samewire/slim': async () => (await import(pathToFileURL(join(work, 'slim.js')).href)).result,
  esbuild: async () => {
    const { build } = await import('esbuild')
    await build({ entryPoints: ['app.js'], bundle: true, format: 'esm', platform: 'browser', minify: true, outfile: 'esbuild.js', absWorkingDir: work })
    return run('esbuild.js')
  },
  vite: async () => {
    const { build } = await import('vite')
    await build({ root: work, logLevel: 'error', build: { lib: { entry: 'app.js', formats: ['es'], fileName: 'vite' }, outDir: 'vite', target: 'es2022', minify: true } })
    return run(join('vite', readdirSync('vite')[0]))
  },
  webpack: async () => {
    const { default: webpack } = await import('webpack')
    await new Promise((resolve, reject) =>
      webpack({ mode: 'production', context: work, entry: './app.js', target: 'web', experiments: { outputModule: true }, output: { path: join(work, 'webpack'), filename: 'main.mjs', library: { type: 'module' } }, performance: false }, (error, stats) =>
        error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve()))
    return run('webpack/main.mjs')
  },
  'workerd, which gives a compiled module for the import': () => {
    const source = readFileSync('node_modules/samewire/dist/workerd.js', 'utf8')
    const given = source.replaceAll(/import (\w+) from "\.\/(samewire[\w-]*\.wasm)";/g, (_, name, file) =>
      `import { readFileSync as read${name} } from 'node:fs'; const ${name} = new WebAssembly.Module(read${name}('node_modules/samewire/dist/${file}'));`)
    if (given === source) throw new Error('it does not import the module')
    writeFileSync('workerd.js', `${given}\nexport const result = ${use('encode', 'decode', 'stringify')}\n`)
    return run('workerd.js')
  },
  'types for node16': () => check(['--module', 'node16', '--moduleResolution', 'node16', 'types.ts', 'types.cts']),
  'types for bundlers': () => check(['--module', 'esnext', '--moduleResolution', 'bundler', 'types.ts']),
  'the native engine as a package of its own, and WebAssembly where it is missing or broken': () => {
    const { platform } = installed()
    const engine = (folder = 'native', env = {}) =>
      execFileSync(process.execPath, ['-p', "const s = require('samewire'); s.decode(s.encode(s.engine))"], { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } }).trim()
    const addon = join('native/node_modules/@samewire', platform, 'samewire.node')
    const found = [engine(), engine('native', { SAMEWIRE_ENGINE: 'wasm' })]
    const kept = readFileSync(addon)
    for (const broken of ['not an addon', '', kept.subarray(0, 4096)]) {
      writeFileSync(addon, broken)
      found.push(engine())
    }
    rmSync(addon)
    found.push(engine())
    writeFileSync(addon, kept)
    found.push(engine())
    if (found.join() !== 'native,wasm,wasm,wasm,wasm,wasm,native') throw new Error(`engines: ${found}`)
    return expected
  },
  'npx samewire, from the packed package': () => {
    const { platform } = installed()
    const npx = (args, input, folder = 'native') =>
      spawnSync('npx', ['--no-install', 'samewire', ...args], { cwd: folder, input })
    const packed = npx(['convert', '-', '--to', 'msgpack'], '{"a":[1,"é",2.5]}')
    if (packed.status !== 0 || packed.stdout.toString('hex') !== '81a1619301a2c3a9cb4004000000000000') throw new Error(`convert: ${packed.status} ${packed.stdout.toString('hex')} ${packed.stderr}`)
    const back = npx(['convert', '-', '--to', 'json'], packed.stdout)
    if (back.stdout.toString().trim() !== '{"a":[1,"é",2.5]}') throw new Error(`back: ${back.stdout}`)
    const bad = npx(['validate'], '{"a":tru}')
    if (bad.status !== 1 || !bad.stderr.toString().includes('invalid-syntax')) throw new Error(`validate: ${bad.status} ${bad.stderr}`)
    const wrong = npx(['no-such-thing'], '')
    if (wrong.status !== 2) throw new Error(`a command that does not exist: ${wrong.status}`)
    writeFileSync('native/größer 日.json', '[1]')
    const named = npx(['get', '/0', 'größer 日.json'], '')
    if (named.stdout.toString().trim() !== '1') throw new Error(`a file's name: ${named.stdout} ${named.stderr}`)
    // Without the addon it says what is missing.
    const addon = join('native/node_modules/@samewire', platform, 'samewire.node')
    const kept = readFileSync(addon)
    rmSync(addon)
    const missing = npx(['--version'], '')
    writeFileSync(addon, kept)
    if (missing.status !== 2 || !missing.stderr.toString().includes(`@samewire/${platform}`)) throw new Error(`without the addon: ${missing.status} ${missing.stderr}`)
    return expected
  },
  'what is packed': () => {
    const files = readdirSync('node_modules/samewire/dist')
    if (files.some((f) => f.endsWith('.node'))) throw new Error('an addon is in the package')
    for (const f of ['command.js', 'index.js', 'index.cjs', 'node.js', 'node.cjs', 'slim.js', 'samewire.wasm', 'samewire-schema.wasm']) if (!files.includes(f)) throw new Error(`${f} is missing`)
    if (JSON.parse(readFileSync('node_modules/samewire/package.json', 'utf8')).dependencies !== undefined) throw new Error('it has dependencies')
    return expected
  },
}
/** The packages of this platform, laid out, packed and installed by npm in native/, once. */
let platformInstalled
function installed() {
  if (platformInstalled !== undefined) return platformInstalled
  const built = readdirSync(join(root, 'dist')).find((f) => f.endsWith('.node'))
  if (built === undefined) throw new Error('the addon is not built')
  const platform = `node-${built.split('.')[1]}`
  const pack = join(root, '../bindings-node/npm/pack.mjs')
  execFileSync(process.execPath, [pack, 'platform', platform, join(root, 'dist', built), 'laid-out/platform'])
  execFileSync(process.execPath, [pack, 'main', 'laid-out/main'])
  mkdirSync('native')
  writeFileSync('native/package.json', '{"private":true}')
  const tars = ['platform', 'main'].map((name) => execFileSync('npm', ['pack', '--silent', '--pack-destination', join(work, 'native'), join(work, 'laid-out', name)], { encoding: 'utf8' }).trim())
  // The other platforms' packages are optional, and not there.
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', ...tars.map((t) => `./${t}`)], { cwd: 'native', stdio: ['ignore', 'ignore', 'inherit'] })
  return (platformInstalled = { platform })
}
const run = async (file) => (await import(pathToFileURL(join(work, file)).href)).result
function check(args) {
  execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom', '--types', 'node', '--skipLibCheck', 'false', ...args], { encoding: 'utf8' })
  return expected
}

let passed = 0
let failed = 0
for (const [name, test] of Object.entries(tests)) {
  try {
    const result = await test()
    if (result !== expected) throw new Error(`gave ${result}`)
    passed++
  } catch (error) {
    failed++
    console.log(`FAILED packaging: ${name}\n    ${String(error.stdout || error.message || error).slice(0, 600)}`)
  }
}
rmSync(work, { recursive: true, force: true })
console.log(`packaging: ${passed} passed, ${failed} failed, 0 skipped`)
process.exit(failed > 0 ? 1 : 0)

// Files: one value or a stream of them, what goes wrong, and what is left behind then.

import { cat, ok, place, same, test, unhex, type Samewire } from './harness.js'

interface Fs {
  mkdtemp(prefix: string): Promise<string>
  readFile(path: string): Promise<Uint8Array>
  writeFile(path: string, data: Uint8Array | string): Promise<void>
  readdir(path: string): Promise<string[]>
  rm(path: string, options: object): Promise<void>
}

async function files(): Promise<{ fs: Fs; folder: string } | undefined> {
  let fs: Fs
  let folder: string
  try {
    fs = (await import('node:fs/promises' as string)) as Fs
    const os = (await import('node:os' as string)) as { tmpdir(): string }
    folder = await fs.mkdtemp(`${os.tmpdir()}/samewire-`)
  } catch {
    return undefined
  }
  return { fs, folder }
}

async function rejects(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

async function refused(sw: Samewire): Promise<void> {
  place(await rejects(sw.transcodeFile('a', 'b', 'json', 'msgpack')), 'invalid-state')
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test('files: one value', async (sw) => {
  const there = await files()
  if (there === undefined) return refused(sw)
  const { fs, folder } = there
  try {
    const [a, b, c] = ['a é.json', 'b.msgpack', 'c.json'].map((n) => `${folder}/${n}`) as [string, string, string]
    await fs.writeFile(a, ' {"id": 9007199254740993, "list": [1, 2.5, "日本"]}\n')
    same(await sw.transcodeFile(a, b, 'json', 'msgpack'), 1)
    same(sw.decode(await fs.readFile(b)), { id: 9007199254740993n, list: [1, 2.5, '日本'] })
    same(await sw.transcodeFile(b, c, 'msgpack', 'json', { indent: 2, appendNewline: true }), 1)
    ok(text(await fs.readFile(c)).startsWith('{\n  "id": 9007199254740993'))
    ok(text(await fs.readFile(c)).endsWith('}\n'))
    // A URL, and onto itself.
    const url = new URL(`file://${encodeURI(a)}`)
    same(await sw.transcodeFile(url, a, 'json', 'json'), 1)
    same(text(await fs.readFile(a)), '{"id":9007199254740993,"list":[1,2.5,"日本"]}')
    // A target is as it was after a failure, and nothing is left beside it.
    await fs.writeFile(b, unhex('92c0c1'))
    const error = await rejects(sw.transcodeFile(b, c, 'msgpack', 'json'))
    place(error, { code: 'invalid-marker', offset: 2, path: '/1' })
    ok(error instanceof sw.SamewireError)
    ok(text(await fs.readFile(c)).startsWith('{\n'))
    place(await rejects(sw.transcodeFile(c, b, 'json', 'msgpack', { maxBytes: 10 })), 'input-too-large')
    same((await fs.readdir(folder)).sort(), ['a é.json', 'b.msgpack', 'c.json'])
    for (const [source, target, code] of [[`${folder}/none`, b, 'ENOENT'], [a, `${folder}/none/b`, 'ENOENT']] as const) {
      const e = (await rejects(sw.transcodeFile(source, target, 'json', 'msgpack'))) as { name: string; code: string; message: string }
      same([e.name, e.code], ['Error', code])
      ok(e.message.includes('none'), e.message)
    }
    ok(!((await rejects(sw.transcodeFile(a, folder, 'json', 'msgpack'))) instanceof sw.SamewireError))
    for (const wrong of [5, null, 'a\0b', new URL('http://a/b')]) place(await rejects(sw.transcodeFile(wrong as never, b, 'json', 'msgpack')), 'unsupported-type')
    place(await rejects(sw.transcodeFile(a, b, 'xml' as never, 'json')), 'invalid-option')
    place(await rejects(sw.transcodeFile(a, b, 'json', 'msgpack', { nothing: 1 } as never)), 'invalid-option')
    same((await fs.readdir(folder)).sort(), ['a é.json', 'b.msgpack', 'c.json'])
  } finally {
    await fs.rm(folder, { recursive: true })
  }
})

test('files: streams of values', async (sw) => {
  const there = await files()
  if (there === undefined) return refused(sw)
  const { fs, folder } = there
  try {
    const [lines, packed, again] = ['lines.jsonl', 'packed', 'again.jsonl'].map((n) => `${folder}/${n}`) as [string, string, string]
    const values = Array.from({ length: 30000 }, (_, i) => ({ i, text: `line ${i}`, list: [i / 8, null] }))
    const source = `${values.map((v) => sw.stringify(v)).join('\n')}\n`
    await fs.writeFile(lines, `\n${source}`)
    same(await sw.transcodeFile(lines, packed, 'json', 'msgpack', { stream: true }), 30000)
    const read: unknown[] = []
    for await (const v of sw.decodeStream([await fs.readFile(packed)])) read.push(v)
    same(read.slice(-1), values.slice(-1))
    same(await sw.transcodeFile(packed, again, 'msgpack', 'json', { stream: true, appendNewline: true }), 30000)
    ok(text(await fs.readFile(again)) === source)
    await fs.writeFile(lines, '')
    same(await sw.transcodeFile(lines, packed, 'json', 'msgpack', { stream: true }), 0)
    same((await fs.readFile(packed)).length, 0)
    await fs.writeFile(lines, '[1]\n12')
    same(await sw.transcodeFile(lines, packed, 'json', 'msgpack', { stream: true }), 2)
    same(new Uint8Array(await fs.readFile(packed)), cat([0x91, 1, 12]))
    await fs.writeFile(lines, '[1]\n{"a":[2,tru]}\n')
    place(await rejects(sw.transcodeFile(lines, packed, 'json', 'msgpack', { stream: true })), { code: 'invalid-syntax', path: '/a/1' })
    await fs.writeFile(packed, unhex('01920304a201'))
    place(await rejects(sw.transcodeFile(packed, again, 'msgpack', 'json', { stream: true })), { code: 'truncated', offset: 6 })
    await fs.writeFile(packed, unhex('0182a16101a16102'))
    place(await rejects(sw.transcodeFile(packed, again, 'msgpack', 'json', { stream: true })), { code: 'duplicate-key', offset: 5, path: '/a' })
    place(await rejects(sw.transcodeFile(packed, again, 'msgpack', 'json', { stream: true, indent: 1 })), 'invalid-option')
    ok(text(await fs.readFile(again)) === source)
    same((await fs.readdir(folder)).length, 3)
  } finally {
    await fs.rm(folder, { recursive: true })
  }
})

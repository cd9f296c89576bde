// What both the Node race and the browser driver need from the disk: payload files and arguments.

import { readFileSync } from 'node:fs'

const directory = new URL('../payloads/', import.meta.url)

/** [name, manifest entry, texts of the instances] of the payloads chosen. */
export function payloadFiles(chosen) {
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', directory), 'utf8'))
  for (const name of chosen) if (!(name in manifest)) throw new Error(`no payload is called ${name}`)
  return Object.entries(manifest)
    .filter(([name]) => !chosen.length || chosen.includes(name))
    .map(([name, entry]) => {
      const lines = readFileSync(new URL(entry.file, directory), 'utf8').trimEnd().split('\n').slice(1, -1)
      return [name, entry, lines.map((line) => line.replace(/,$/, ''))]
    })
}

/** The arguments that all JavaScript races share. */
export function options(args) {
  const o = { ops: [], payloads: [], out: null, rest: [], quick: false, rounds: 25, ms: 4, warm: 200 }
  for (let i = 0; i < args.length; i++) {
    const a = args[i]
    if (a === '--quick') Object.assign(o, { quick: true, rounds: 7, ms: 2, warm: 40 })
    else if (a === '--op') o.ops.push(args[++i])
    else if (a === '--payload') o.payloads.push(args[++i])
    else if (a === '--rounds') o.rounds = Number(args[++i])
    else if (a === '--ms') o.ms = Number(args[++i])
    else if (a === '--out') o.out = args[++i]
    else o.rest.push(a)
  }
  return o
}

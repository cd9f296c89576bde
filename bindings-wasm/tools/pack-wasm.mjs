// Packs a WebAssembly module as text for js/wasm-bytes.ts, which says why and how.

const PARTS = ['head', 'tail', 'op', 'locals', 'local', 'global', 'align', 'offset', 'i32', 'i64', 'raw', 'call', 'branch', 'type', 'misc']
const MISC = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1]

/** The packed module: an array of texts without quotation marks and backslashes. */
export function pack(module) {
  const parts = Object.fromEntries(PARTS.map((name) => [name, []]))
  let i = 8
  const leb = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = module[i++]
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
  }
  const raw = (name, n) => {
    for (; n > 0; n--) parts[name].push(module[i++])
  }
  const number = (name) => {
    const from = i
    const value = leb()
    for (let k = from; k < i; k++) parts[name].push(module[k])
    return value
  }
  const numbers = (name, n) => {
    for (; n > 0; n--) number(name)
  }
  const memory = () => {
    number('align')
    number('offset')
  }
  const vector = (op) => {
    if (op <= 11 || (op >= 84 && op <= 93)) memory()
    if (op === 12 || op === 13) raw('raw', 16)
    if ((op >= 21 && op <= 34) || (op >= 84 && op <= 91)) raw('misc', 1)
  }
  function operator() {
    const op = module[i]
    raw('op', 1)
    if (op >= 0x28 && op <= 0x3e) memory()
    else if (op >= 0x20 && op <= 0x22) number('local')
    else if (op === 0x41) number('i32')
    else if (op === 0x42) number('i64')
    else if (op === 0x43) raw('raw', 4)
    else if (op === 0x44) raw('raw', 8)
    else if (op === 0x0c || op === 0x0d) number('branch')
    else if (op === 0x0e) numbers('branch', number('branch') + 1)
    else if (op === 0x10) number('call')
    else if (op === 0x11) numbers('misc', 2)
    else if (op === 0x23 || op === 0x24) number('global')
    else if (op === 0x3f || op === 0x40) number('misc')
    else if (op === 0xfc) numbers('misc', MISC[number('op')])
    else if (op === 0xfd) vector(number('op'))
    else if (op >= 0x02 && op <= 0x04) {
      number('type')
      return 1
    } else if (op === 0x0b) return -1
    else if (op === 0x06 || op === 0x07 || (op >= 0x12 && op <= 0x19) || op === 0x1c || (op >= 0xc5 && op < 0xfc)) throw new Error(`operator 0x${op.toString(16)} is not known here`)
    return 0
  }
  let side = 'head'
  parts.head.push(...module.subarray(0, 8))
  while (i < module.length) {
    const from = i
    const id = module[i++]
    const size = leb()
    const end = i + size
    if (id !== 10) {
      for (const byte of module.subarray(from, end)) parts[side].push(byte)
      i = end
      continue
    }
    parts.head.push(10)
    side = 'tail'
    for (let functions = number('locals'); functions > 0; functions--) {
      const bodyEnd = leb() + i
      for (let groups = number('locals'); groups > 0; groups--) {
        number('locals')
        raw('locals', 1)
      }
      for (let depth = 0; depth >= 0; ) depth += operator()
      if (i !== bodyEnd) throw new Error('a function was misread')
    }
  }
  return PARTS.map((name) => text(parts[name]))
}

function text(bytes) {
  const counts = new Array(256).fill(0)
  for (const byte of bytes) counts[byte]++
  const frequent = [...counts.keys()].filter((b) => counts[b] > 0).sort((a, b) => counts[b] - counts[a] || a - b).slice(0, 91)
  const order = [...frequent, ...[...counts.keys()].filter((b) => !frequent.includes(b))]
  const ranks = []
  order.forEach((byte, rank) => (ranks[byte] = rank))
  const char = (rank) => String.fromCharCode(rank + 32 + (rank + 32 >= 34 ? 1 : 0) + (rank + 33 >= 92 ? 1 : 0))
  const shown = (rank) => (rank < 91 ? char(rank) : rank < 182 ? `}${char(rank - 91)}` : `~${char(rank - 182)}`)
  return shown(frequent.length) + frequent.map(shown).join('') + bytes.map((byte) => shown(ranks[byte])).join('')
}

// The module's bytes where there is no file to read: text inside the script, put there by tools/pack-wasm.mjs.
//
// Scripts travel compressed, and base64 hides from a compressor what repeats: it costs a third. So bytes are characters
// here, the frequent ones one each; and what follows an operator in WebAssembly (locals, offsets, constants …) is apart
// from the operators, each kind by itself, as like then is with like. That is a tenth smaller than the module itself
// compressed, and put together again in a few milliseconds.

/** Streams in the order in which the packer writes them. */
const enum Part { Head, Tail, Op, Locals, Local, Global, Align, Offset, I32, I64, Raw, Call, Branch, Type, Misc }

/** Puts a packed module together. */
export function unpacked(packed: readonly string[]): Uint8Array<ArrayBuffer> {
  const streams = packed.map(bytes)
  const at = streams.map(() => 0)
  const out = new Uint8Array(streams.reduce((sum, s) => sum + s.length, 0) * 2)
  let n = 0

  const all = (part: Part): void => {
    out.set(streams[part]!, n)
    n += streams[part]!.length
  }
  const copy = (part: Part, count: number): void => {
    for (; count > 0; count--) out[n++] = streams[part]![at[part]!++]!
  }
  /** Copies an LEB128 number and returns it, as far as it matters. */
  const number = (part: Part): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = (out[n++] = streams[part]![at[part]!++]!)
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  /** Writes a length over the five bytes that were left for it. */
  const length = (place: number): void => {
    for (let i = 0, rest = n - place - 5; i < 5; i++, rest >>>= 7) out[place + i] = i < 4 ? (rest & 127) | 128 : rest
  }

  /** An operator and what follows it; returns by how much it nests. */
  const operator = (): number => {
    copy(Part.Op, 1)
    const op = out[n - 1]!
    if (op >= 0x28 && op <= 0x3e) memory()
    else if (op >= 0x20 && op <= 0x22) number(Part.Local)
    else if (op === 0x41) number(Part.I32)
    else if (op === 0x42) number(Part.I64)
    else if (op === 0x43) copy(Part.Raw, 4)
    else if (op === 0x44) copy(Part.Raw, 8)
    else if (op === 0x0c || op === 0x0d) number(Part.Branch)
    else if (op === 0x0e) for (let i = number(Part.Branch); i >= 0; i--) number(Part.Branch)
    else if (op === 0x10) number(Part.Call)
    else if (op === 0x11) misc(2)
    else if (op === 0x23 || op === 0x24) number(Part.Global)
    else if (op === 0x3f || op === 0x40) misc(1)
    else if (op === 0xfc) misc(MISC[number(Part.Op)]!)
    else if (op === 0xfd) vector(number(Part.Op))
    else if (op >= 0x02 && op <= 0x04) {
      number(Part.Type)
      return 1
    } else if (op === 0x0b) return -1
    return 0
  }
  const memory = (): void => {
    number(Part.Align)
    number(Part.Offset)
  }
  const misc = (count: number): void => {
    for (; count > 0; count--) number(Part.Misc)
  }
  const vector = (op: number): void => {
    if (op <= 11 || (op >= 84 && op <= 93)) memory()
    if (op === 12 || op === 13) copy(Part.Raw, 16)
    if ((op >= 21 && op <= 34) || (op >= 84 && op <= 91)) copy(Part.Misc, 1)
  }

  all(Part.Head)
  const section = n
  n += 5
  for (let functions = number(Part.Locals); functions > 0; functions--) {
    const body = n
    n += 5
    for (let groups = number(Part.Locals); groups > 0; groups--) {
      number(Part.Locals)
      copy(Part.Locals, 1)
    }
    for (let depth = 0; depth >= 0; ) depth += operator()
    length(body)
  }
  length(section)
  all(Part.Tail)
  return out.slice(0, n)
}

/** Immediates of the operators that begin with 0xfc. */
const MISC = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1]

/** The bytes of a stream: its text begins with the bytes that have one character each, the most frequent first. */
function bytes(text: string): Uint8Array {
  let at = 0
  const rank = (): number => {
    let c = text.charCodeAt(at++)
    let above = 0
    if (c > 124) {
      above = c === 125 ? 91 : 182
      c = text.charCodeAt(at++)
    }
    // Without the quotation mark and the backslash.
    return above + c - (c > 92 ? 34 : c > 34 ? 33 : 32)
  }
  const order: number[] = []
  for (let n = rank(); n > 0; n--) order.push(rank())
  for (let byte = 0; byte < 256; byte++) if (!order.includes(byte)) order.push(byte)
  const out = new Uint8Array(text.length)
  let n = 0
  while (at < text.length) out[n++] = order[rank()]!
  return out.subarray(0, n)
}

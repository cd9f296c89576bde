// Finds the native addon: beside this package, or as the optional package for this platform.

import type { Addon } from './engine-native.js'
import { fs, require } from './node.js'

/** The addon, and why each place where it might have been had none. */
export function findAddon(): { addon: Addon | undefined; reasons: string[] } {
  // On Linux one of two C libraries: the addon of the other does not load, and finding out which takes longer.
  const libcs = process.platform === 'linux' ? ['-gnu', '-musl'] : process.platform === 'win32' ? ['-msvc'] : ['']
  const platforms = libcs.map((libc) => `${process.platform}-${process.arch}${libc}`)
  const reasons: string[] = []
  for (const name of [...platforms.map((p) => `./samewire.${p}.node`), ...platforms.map((p) => `@samewire/node-${p}`)]) {
    try {
      const path = require.resolve(name)
      if (process.platform === 'linux' && !isWhole(path)) throw new Error('the file is cut off')
      return { addon: require(path) as Addon, reasons }
    } catch (error) {
      reasons.push(`${name}: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  return { addon: undefined, reasons }
}

/**
 * False for a file that is not ELF to its end (the section headers are the last thing in it). Linux's loader maps what
 * the header tells it to, and reading beyond a file's end kills the process.
 */
function isWhole(path: string): boolean {
  const { closeSync, fstatSync, openSync, readSync } = fs()
  const file = openSync(path, 'r')
  try {
    const header = new DataView(new ArrayBuffer(64))
    if (readSync(file, header, 0, 64, 0) < 64 || header.getUint32(0) !== 0x7f454c46) return false
    const sections = Number(header.getBigUint64(0x28, true)) + header.getUint16(0x3a, true) * header.getUint16(0x3c, true)
    return fstatSync(file).size >= sections
  } finally {
    closeSync(file)
  }
}

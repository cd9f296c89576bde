// `npx samewire`: the command line, which the native addon brings. Standard input and output are the addon's business:
// touching process.stdin or process.stdout here would make pipes non-blocking.

import { Buffer } from 'node:buffer'
import process from 'node:process'
import { findAddon } from './addon.js'

const { addon, reasons } = findAddon()
if (addon?.command === undefined) {
  console.error(`samewire: the command is part of the native engine, which does not load here:\n  ${reasons.join('\n  ')}`)
  process.exitCode = 2
} else {
  process.exitCode = addon.command(Buffer.from(process.argv.slice(2).map((a) => `${a}\0`).join('')))
}

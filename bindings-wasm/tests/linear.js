// To be imported before the package: counts the bytes of the WebAssembly memories that are made from now on.
const memories = new Set()
const { Instance } = WebAssembly
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args)
    memories.add(this.exports.memory)
  }
}
globalThis.samewireLinearMemory = () => [...memories].reduce((n, memory) => n + memory.buffer.byteLength, 0)

// Modules as text, which the build puts in: tools/pack-wasm.mjs.
declare module 'packed:*' {
  const packed: readonly string[]
  export default packed
}

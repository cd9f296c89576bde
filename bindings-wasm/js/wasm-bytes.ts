// The module's bytes where there is no file to read: base64, put in by the build.

declare const SAMEWIRE_WASM: string

export function wasmBytes(): Uint8Array<ArrayBuffer> {
  const text = atob(SAMEWIRE_WASM)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

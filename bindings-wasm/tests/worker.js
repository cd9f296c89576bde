import { decode, encode } from '/samewire.js'

onmessage = (event) => {
  const { from } = decode(event.data)
  postMessage(encode({ from: from === 'page' ? 'worker' : 'nobody' }))
}

/** The sections of a WebAssembly module, by its binary format: each is an id, a length and so many bytes. Pure. */

const HEADER = 8;
const MEMORY_SECTION = 5;

/**
 * Whether a module has a memory of its own, which nobody bounds: `opa` builds modules that import theirs. What is not
 * read to its end counts as having one.
 */
export function hasOwnMemory(wasm: Uint8Array): boolean {
  let at = HEADER;
  while (at < wasm.length) {
    const id = wasm[at];
    const length = unsignedAt(wasm, at + 1);
    if (id === MEMORY_SECTION || length === null) return true;
    at = length.next + length.value;
  }
  return at !== wasm.length;
}

/** LEB128 of at most 32 bits. */
function unsignedAt(bytes: Uint8Array, start: number): { value: number; next: number } | null {
  let value = 0;
  for (let nth = 0; nth < 5; nth++) {
    const byte = bytes[start + nth];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 2 ** (7 * nth);
    if (byte < 0x80) return { value, next: start + nth + 1 };
  }
  return null;
}

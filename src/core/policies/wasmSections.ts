/** The sections of a WebAssembly module, by its binary format: each is an id, a length and so many bytes. Pure. */

const HEADER = 8;
/** What `opa` writes. A memory of the module's own is none of it, nor are exceptions. */
const SECTIONS = { custom: 0, types: 1, tables: 4, last: 12, memory: 5 };
const FUNCTION = 0x60;
const FUNCREF = 0x70;
/** Entries of the table of functions; a policy of 1 MiB has some thousands. */
const MOST_ENTRIES = 65_536;

/**
 * What a module would have beside the memory that it imports, which alone is bounded: `opa` builds modules that have
 * nothing else. A memory or large tables of its own, and types of objects that it can make without end, go past the
 * limits of a thread and end the whole process. What is not read to its end is refused. Null: none of it.
 */
export function unboundedPart(wasm: Uint8Array): string | null {
  let at = HEADER;
  while (at < wasm.length) {
    const id = wasm[at] as number;
    const length = unsignedAt(wasm, at + 1);
    if (length === null || id > SECTIONS.last) return "sections of another kind than opa's";
    if (id === SECTIONS.memory) return "a memory of its own";
    const end = length.next + length.value;
    const section = wasm.subarray(length.next, end);
    if (id === SECTIONS.types && !areFunctions(section)) return "types of objects";
    if (id === SECTIONS.tables && !isSmallTable(section)) return "large tables";
    at = end;
  }
  return at === wasm.length ? null : "sections of another kind than opa's";
}

/** A vector of types, each the form of a function: parameters, then results, of one byte each. */
function areFunctions(section: Uint8Array): boolean {
  const count = unsignedAt(section, 0);
  if (count === null) return false;
  let at = count.next;
  for (let nth = 0; nth < count.value; nth++) {
    if (section[at] !== FUNCTION) return false;
    const parameters = unsignedAt(section, at + 1);
    const results = parameters && unsignedAt(section, parameters.next + parameters.value);
    if (!results) return false;
    at = results.next + results.value;
  }
  return at === section.length;
}

/** One table of functions, with a bound. */
function isSmallTable(section: Uint8Array): boolean {
  const [count, type, flags] = section;
  const least = unsignedAt(section, 3);
  const most = least && unsignedAt(section, least.next);
  if (count === 0) return section.length === 1;
  return count === 1 && type === FUNCREF && flags === 1 && !!most && most.value <= MOST_ENTRIES;
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

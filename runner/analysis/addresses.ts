import { MalformedComment, quoted } from "./directive.ts";

const STACK_ID = /^[A-Za-z0-9._-]+$/;
const ADDRESS_CHARACTERS = /^[A-Za-z0-9._\-[\]"]+$/;
const PART = String.raw`[A-Za-z0-9_-]+(?:\[(?:\d+|"[A-Za-z0-9._\-[\]]+")\])?`;
const ADDRESS = new RegExp(String.raw`^${PART}(?:\.${PART})+$`);

/** @throws MalformedComment for characters that no stack id has */
export function stackId(key: string, text: string): string {
  if (STACK_ID.test(text)) return text;
  throw new MalformedComment(`${key} ${quoted(text)} has characters that no stack id has`);
}

/** A resource, data source, module or output, as the engine writes its address. @throws MalformedComment */
export function resourceAddress(key: string, text: string): string {
  if (!ADDRESS_CHARACTERS.test(text)) {
    throw new MalformedComment(`${key} ${quoted(text)} has characters other than letters, digits and ._-[]"`);
  }
  if (ADDRESS.test(text)) return text;
  throw new MalformedComment(`${key} ${quoted(text)} is no address`);
}

import { usage } from "../exit/failure.ts";

/** `key=value`, as it is typed. @throws Failure: usage */
export function labelOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw usage(`--label: ${text} is no key=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

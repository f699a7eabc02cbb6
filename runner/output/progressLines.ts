/** Lines in which an engine says how an apply goes on, by the addresses that its plan has. */

const LINE =
  /^(.+?): (Creating|Modifying|Destroying|Reading|Still creating|Still modifying|Still destroying|Still reading|(?:Creation|Modifications|Destruction|Read) complete after [0-9hms]{1,12}|Provisioning with '(?:local-exec|remote-exec|file)')(\.\.\.)?(?: \[.*)?$/;
const ELAPSED = /[[ ]([0-9hms]{1,12} elapsed)\]$/;
/** Whatever an engine calls a resource, from here on values come about. */
const BEGINNING = /: (?:Creating|Modifying|Destroying|Reading|Provisioning)\b/;

/**
 * The line without what follows from a resource's values, such as its id; null when it is another line or of another
 * address. What is left is made of the plan's own address, words of the engine and digits.
 */
export function progressOf(line: string, addresses: ReadonlySet<string>): string | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, address = "", words = "", dots = ""] = match;
  if (!addresses.has(address)) return null;
  const elapsed = ELAPSED.exec(line)?.[1];
  return `${address}: ${words}${dots}${elapsed === undefined ? "" : ` [${elapsed}]`}`;
}

export function beginsWork(line: string): boolean {
  return BEGINNING.test(line);
}

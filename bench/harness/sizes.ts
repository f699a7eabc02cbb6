/** How big a bench is, from the environment: small ones to try it out, full ones to be held to. */

/** A whole number above 0. @throws on anything else, so that a slip of the pen does not measure something else */
export function sizeOf(name: string, ordinary: number, env: NodeJS.ProcessEnv = process.env): number {
  const text = env[name];
  if (text === undefined || text === "") return ordinary;
  const size = Number(text);
  if (!Number.isSafeInteger(size) || size < 1) throw new Error(`${name}=${text} is not a whole number above 0`);
  return size;
}

/** A part of the full size, for everything of a bench at once: 1 unless given, at most 1. */
export function shareOf(name: string, env: NodeJS.ProcessEnv = process.env): (full: number) => number {
  const text = env[name];
  const share = text === undefined || text === "" ? 1 : Number(text);
  if (!(share > 0 && share <= 1)) throw new Error(`${name}=${text} is not a part, such as 0.1`);
  return (full) => Math.max(Math.round(full * share), 1);
}

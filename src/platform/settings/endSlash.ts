/**
 * Whoever writes a base address may end it with a slash, and nothing may depend on that: paths are added to what this
 * gives.
 */
export function withoutEndSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

/** What the reader's grants allow, so that no page offers what the service would refuse. Pure. */
import type { components } from "../../../clients/api/schema.d.ts";

export type Grant = components["schemas"]["Permissions"]["grants"][number];
/**
 * @param name of the resource where there are single ones; without it only a grant on all of them counts, and null asks
 * whether there is any at all, such as for a thing that has no name yet
 * @param groups of the stack
 */
export type May = (type: string, action: string, name?: string | null, groups?: readonly string[]) => boolean;

export function mayBy(grants: readonly Grant[]): May {
  return (type, action, name, groups = []) =>
    grants.some(
      (grant) =>
        meets(grant.resource_type, type) &&
        meets(grant.action, action) &&
        (grant.authz_group === null
          ? grant.resource_pattern === null || name === null || globMeets(grant.resource_pattern, name)
          : groups.includes(grant.authz_group)),
    );
}

const meets = (granted: string, asked: string): boolean => granted === "*" || granted === asked;

/** `*` any text, `?` one character. Steps at most their lengths multiplied, whatever somebody wrote. */
function globMeets(glob: string, text: string | undefined): boolean {
  if (text === undefined) return false;
  let [at, letter, resume, taken] = [0, 0, -1, 0];
  while (letter < text.length) {
    if (glob[at] === "*") {
      resume = ++at;
      taken = letter;
    } else if (glob[at] === "?" || (at < glob.length && glob[at] === text[letter])) {
      at++;
      letter++;
    } else if (resume >= 0) {
      at = resume;
      letter = ++taken;
    } else return false;
  }
  return /^\**$/.test(glob.slice(at));
}

/** Addresses of resources: where they stand, and how paths inside of them are written. */
import type { Path } from "./change.ts";

const MODULES = /^(?:module\.[^.[\]"]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?\.)+/;
const PLAIN_NAME = /^[A-Za-z_][\w-]*$/;

/** `module.a["x.y"].module.b` of what stands in it; empty for what stands in none. */
export function moduleOf(address: string): string {
  return MODULES.exec(address)?.[0].slice(0, -1) ?? "";
}

/** `ingress[0].cidr_blocks`, `tags["a.b"]`. */
export function pathText(path: Path): string {
  return path
    .map((part, place) => {
      if (typeof part === "number") return `[${part}]`;
      if (!PLAIN_NAME.test(part)) return `[${JSON.stringify(part)}]`;
      return place === 0 ? part : `.${part}`;
    })
    .join("");
}

/** How people name a deployment: its id, its stack and id, its page, or its stack alone. Pure. */
import { usage } from "../exit/failure.ts";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PAGE = /\/stacks\/([^/]+)\/deployments\/([^/?#]+)/;

export type Located =
  | { kind: "deployment"; stack: string | null; id: string }
  /** The stack's present one. */
  | { kind: "stack"; stack: string };

export function locate(text: string): Located {
  const page = PAGE.exec(text);
  if (page) return deployment(decodeURIComponent(page[1]!), page[2]!);
  if (text.includes("://")) throw usage(`${text} is no page of a deployment.`);
  if (ID.test(text)) return { kind: "deployment", stack: null, id: text.toLowerCase() };
  const slash = text.indexOf("/");
  return slash === -1 ? { kind: "stack", stack: text } : deployment(text.slice(0, slash), text.slice(slash + 1));
}

function deployment(stack: string, id: string): Located {
  if (!ID.test(id)) throw usage(`${id} is no id of a deployment.`);
  return { kind: "deployment", stack, id: id.toLowerCase() };
}

/** When a deployment was created, as its id (a UUID of version 7) says, in milliseconds; null for another id. */
export function createdAtOf(id: string): number | null {
  const hex = id.replaceAll("-", "");
  return hex[12] === "7" ? Number.parseInt(hex.slice(0, 12), 16) : null;
}

/** How people name a deployment: its id, its stack and id, its page, or its stack alone. Pure. */
import { usage } from "../exit/failure.ts";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PAGE = /^(https?:\/\/.*?)\/orgs\/([^/]+)\/stacks\/([^/]+)\/deployments\/([^/?#]+)/;

const FORMS = "A deployment is named by its id, by STACK/ID, by the address of its page, or by its stack";

export type Located =
  | { kind: "deployment"; stack: string | null; id: string; page?: { host: string; orgId: string } }
  /** The stack's present one. */
  | { kind: "stack"; stack: string };

export function locate(text: string): Located {
  const page = PAGE.exec(text);
  if (page) {
    const [, host, orgId, stack, id] = page as unknown as [string, string, string, string, string];
    return { ...deployment(decodeURIComponent(stack), id), page: { host, orgId } };
  }
  if (text.includes("://")) throw usage(`${text} is no page of a deployment.`, FORMS);
  if (ID.test(text)) return { kind: "deployment", stack: null, id: text.toLowerCase() };
  const slash = text.indexOf("/");
  return slash === -1 ? { kind: "stack", stack: text } : deployment(text.slice(0, slash), text.slice(slash + 1));
}

function deployment(stack: string, id: string): Extract<Located, { kind: "deployment" }> {
  if (!ID.test(id)) throw usage(`${id} is no id of a deployment.`, FORMS);
  return { kind: "deployment", stack, id: id.toLowerCase() };
}

/** When a deployment was created, as its id (a UUID of version 7) says, in milliseconds; null for another id. */
export function createdAtOf(id: string): number | null {
  const hex = id.replaceAll("-", "");
  return hex[12] === "7" ? Number.parseInt(hex.slice(0, 12), 16) : null;
}

/**
 * How a shell calls a local installation: what `npm start` leaves in the file `env`, and what it prints to go with it.
 */

type Reached = { base_url: string; org_id: string; admin_token: string; tool: string };

/** Assignments for a shell; none of the values has a character that a shell would take for its own. */
export function environmentOf({ base_url, org_id, admin_token, tool }: Reached): string {
  return `BASE=${base_url}\nORG=${org_id}\nTOKEN=${admin_token}\nTOOL=${tool}\n`;
}

/** The README's own first block; a test compares them. */
export function firstCalls(data: string): string {
  return `. ${quoted(`${data}/env`)}     # BASE, ORG, TOKEN and TOOL of this installation
api() { curl -sS -w '\\n' "$BASE/api/v1/orgs/$ORG$@" -H "authorization: Bearer $TOKEN" -H 'content-type: application/json'; }
field() { node -p "JSON.parse(fs.readFileSync(0, 'utf8')).$1"; }
api /stacks`;
}

/** A shell looks for a file without a slash on its PATH; one of a data folder always has one. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** What a delivery of GitLab means to us. Pure; a payload is a hint and is not trusted. */
import { branchOf, type Fields, isTracked, number, object, person, sha, storableUrls, text } from "./deliveryFields.ts";
import type { Delivery, NormalizedEvent } from "./normalize.ts";

const CHANGED = new Set(["open", "reopen", "update", "approved", "unapproved", "approval", "unapproval"]);
const CLOSED = new Set(["close", "merge"]);
/** Of a pipeline: nothing is decided in between. */
const TELLING = new Set(["pending", "success", "failed", "canceled", "skipped", "manual"]);

/** The payload says itself what it is, also when it comes from a hook of the whole installation. */
export function normalizeGitlab(id: string, payload: unknown): Delivery {
  const body = object(payload);
  const project = object(body.project);
  const urls = ["git_http_url", "web_url", "git_ssh_url"].map((name) => project[name]);
  const checked = body.object_kind === "pipeline" ? checkedCommit(id, body) : null;
  return {
    repositoryUrls: storableUrls(urls),
    events: eventsOf(id, body).filter(({ branch }) => isTracked(branch)),
    ...(checked && { checked }),
  };
}

function eventsOf(id: string, body: Fields): NormalizedEvent[] {
  switch (text(body.object_kind) ?? text(body.event_name)) {
    case "push":
      return push(id, body);
    case "merge_request":
      return mergeRequest(id, body);
    case "pipeline":
      return pipeline(id, body);
    default:
      return [];
  }
}

function push(externalId: string, body: Fields): NormalizedEvent[] {
  const [branch, after] = [branchOf(body.ref), sha(body.after)];
  if (branch === null || after === null) return [];
  const sender = person(body.user_username);
  return [{ externalId, kind: "push_branch_changed", branch, prNumber: null, before: sha(body.before), after, sender }];
}

function mergeRequest(externalId: string, body: Fields): NormalizedEvent[] {
  const request = object(body.object_attributes);
  const action = text(request.action) ?? "";
  const [branch, prNumber] = [text(request.target_branch), number(request.iid)];
  if (branch === null || prNumber === null) return [];
  if (CLOSED.has(action)) {
    return [{ externalId, kind: "pr_closed", branch, prNumber, before: null, after: null }];
  }
  if (!CHANGED.has(action)) return [];
  const after = sha(object(request.last_commit).id);
  return [{ externalId, kind: "pr_changed", branch, prNumber, before: null, after }];
}

/** One that runs for a merge request of this project names it. */
function pipeline(id: string, body: Fields): NormalizedEvent[] {
  const request = object(body.merge_request);
  const [branch, prNumber] = [text(request.target_branch), number(request.iid)];
  const here = number(object(body.project).id);
  const isHere = here !== null && request.target_project_id === here;
  if (!tells(body) || branch === null || prNumber === null || !isHere) return [];
  const externalId = `${id}-pr${prNumber}`;
  return [{ externalId, kind: "pr_changed", branch, prNumber, before: null, after: null }];
}

/** One that runs for a branch does not. */
function checkedCommit(externalId: string, body: Fields): Delivery["checked"] | null {
  const commit = sha(object(body.object_attributes).sha);
  if (commit === null || !tells(body) || number(object(body.merge_request).iid) !== null) return null;
  return { externalId, sha: commit };
}

function tells(body: Fields): boolean {
  return TELLING.has(text(object(body.object_attributes).status) ?? "");
}

/** What a delivery of Gitea or Forgejo means to us. Pure; a payload is a hint and is not trusted. */
import { CONTEXT_PREFIX } from "../../core/pullRequests/announcement.ts";
import { branchOf, type Fields, isTracked, number, object, person, sha, storableUrls, text } from "./deliveryFields.ts";
import type { Delivery, NormalizedEvent } from "./normalize.ts";

const CHANGED = new Set(["opened", "reopened", "synchronized", "edited"]);
/** Reviews come as events of their own. */
const REVIEWS = new Set([
  "pull_request_approved",
  "pull_request_rejected",
  "pull_request_review",
  "pull_request_comment",
]);

/** @param type the host's event header */
export function normalizeGitea(type: string, id: string, payload: unknown): Delivery {
  const body = object(payload);
  const repository = object(body.repository);
  const urls = ["clone_url", "html_url", "ssh_url"].map((name) => repository[name]);
  const checked = type === "status" ? checkedCommit(id, body) : null;
  return {
    repositoryUrls: storableUrls(urls),
    events: eventsOf(type, id, body).filter(({ branch }) => isTracked(branch)),
    ...(checked && { checked }),
  };
}

function eventsOf(type: string, id: string, body: Fields): NormalizedEvent[] {
  if (type === "push") return push(id, body);
  const action = text(body.action) ?? "";
  if (type === "pull_request" && action === "closed") return aboutRequest(id, "pr_closed", body);
  if (type === "pull_request" && CHANGED.has(action)) return aboutRequest(id, "pr_changed", body);
  // A comment beside the lines says nothing that counts.
  if (REVIEWS.has(type) && object(body.review).type !== "pull_request_review_comment") {
    return aboutRequest(id, "pr_changed", body);
  }
  return [];
}

function push(externalId: string, body: Fields): NormalizedEvent[] {
  const [branch, after] = [branchOf(body.ref), sha(body.after)];
  if (branch === null || after === null) return [];
  const sender = person(object(body.pusher).login) ?? person(object(body.sender).login);
  return [{ externalId, kind: "push_branch_changed", branch, prNumber: null, before: sha(body.before), after, sender }];
}

function aboutRequest(externalId: string, kind: "pr_changed" | "pr_closed", body: Fields): NormalizedEvent[] {
  const request = object(body.pull_request);
  const branch = text(object(request.base).ref);
  const prNumber = number(request.number) ?? number(body.number);
  if (branch === null || prNumber === null) return [];
  const after = kind === "pr_closed" ? null : sha(object(request.head).sha);
  return [{ externalId, kind, branch, prNumber, before: null, after }];
}

/** Our own statuses tell us nothing. */
function checkedCommit(externalId: string, body: Fields): Delivery["checked"] | null {
  const [commit, context] = [sha(body.sha), text(body.context)];
  if (commit === null || context?.startsWith(CONTEXT_PREFIX)) return null;
  return { externalId, sha: commit };
}

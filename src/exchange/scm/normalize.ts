/**
 * What a delivery of GitHub means to us, as one pure function (docs/rules/source-control.md#what-a-delivery-means). A
 * payload is a hint and is not trusted.
 */
import { branchOf, type Fields, isTracked, number, object, person, sha, storableUrls, text } from "./deliveryFields.ts";
import type { EventKind } from "./schema.ts";

export type NormalizedEvent = {
  externalId: string;
  kind: Exclude<EventKind, "pr_refresh_requested">;
  /** A push's own branch, or the base branch of a pull request. */
  branch: string;
  prNumber: number | null;
  /** Of a push: null when the host knows none, as for a new branch. */
  before: string | null;
  /** The head that the host has told: of the branch, or of the pull request. Kept to know an answer that is older. */
  after: string | null;
  /** Of a push: whoever the host says has pushed. A commit names whom it likes as its author. */
  sender?: string | null;
};

export type Delivery = {
  /** Every address the payload gives its repository; empty when it names none. */
  repositoryUrls: string[];
  events: NormalizedEvent[];
  /**
   * A commit whose checks have changed, where the host does not tell which requests it is the head of: those that are
   * stored with this head are meant. Each gets an event under this id and its own number.
   */
  checked?: { externalId: string; sha: string };
};

const PR_CHANGED = new Set(["opened", "reopened", "synchronize", "edited"]);
const REVIEW_CHANGED = new Set(["submitted", "dismissed"]);
const SUITE_CHANGED = new Set(["requested", "rerequested", "completed"]);
/** Branches that a merge queue makes and removes by itself. */
const QUEUE_PREFIX = "gh-readonly-queue/";
/** A commit is the head of a few requests; a list without end must not keep other deliveries waiting. */
const MOST_REQUESTS = 500;

/**
 * @param type the host's event header
 * @param id the host's delivery id
 */
export function normalize(type: string, id: string, payload: unknown): Delivery {
  const body = object(payload);
  const repository = object(body.repository);
  const events = eventsOf(type, id, body);
  return {
    repositoryUrls: storableUrls(["clone_url", "html_url", "ssh_url", "git_url"].map((name) => repository[name])),
    events: events.filter(({ branch }) => isTracked(branch) && !branch.startsWith(QUEUE_PREFIX)),
  };
}

function eventsOf(type: string, id: string, body: Fields): NormalizedEvent[] {
  const action = text(body.action) ?? "";
  switch (type) {
    case "push":
      return push(id, body);
    case "pull_request":
      if (action === "closed") return aboutRequest(id, "pr_closed", body);
      return PR_CHANGED.has(action) ? aboutRequest(id, "pr_changed", body) : [];
    case "pull_request_review":
      return REVIEW_CHANGED.has(action) ? aboutRequest(id, "pr_changed", body) : [];
    case "check_suite":
      return SUITE_CHANGED.has(action) ? checkSuite(id, body) : [];
    default:
      return [];
  }
}

function push(id: string, body: Fields): NormalizedEvent[] {
  const branch = branchOf(body.ref);
  const after = sha(body.after);
  if (branch === null || body.deleted === true || after === null) return [];
  const sender = person(object(body.sender).login);
  return [
    { externalId: id, kind: "push_branch_changed", branch, prNumber: null, before: sha(body.before), after, sender },
  ];
}

function aboutRequest(id: string, kind: "pr_changed" | "pr_closed", body: Fields): NormalizedEvent[] {
  const request = object(body.pull_request);
  const branch = text(object(request.base).ref);
  const prNumber = number(request.number);
  if (branch === null || prNumber === null) return [];
  const after = kind === "pr_closed" ? null : sha(object(request.head).sha);
  return [{ externalId: id, kind, branch, prNumber, before: null, after }];
}

/** One event for each request of this same repository; a suite of a fork lists none. */
function checkSuite(id: string, body: Fields): NormalizedEvent[] {
  const here = object(body.repository).id;
  const listed = object(body.check_suite).pull_requests;
  const seen = new Set<number>();
  return (Array.isArray(listed) ? listed : []).slice(0, MOST_REQUESTS).flatMap((entry): NormalizedEvent[] => {
    const request = object(entry);
    const base = object(request.base);
    const branch = text(base.ref);
    const prNumber = number(request.number);
    const same = typeof here === "number" && object(base.repo).id === here;
    if (!same || branch === null || prNumber === null || seen.has(prNumber)) return [];
    seen.add(prNumber);
    return [{ externalId: `${id}-pr${prNumber}`, kind: "pr_changed", branch, prNumber, before: null, after: null }];
  });
}

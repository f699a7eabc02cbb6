/**
 * Whether a pull request is approved: by somebody with write access, of its present head, and never by its author
 * (docs/rules/pull-requests.md#what-counts-as-an-approval).
 */
import { HostError } from "./errors.ts";

export type Reviewer = { login: string; id: number };
/** Whether a person may write to the repository. @throws HostError where the host does not say */
export type MayWrite = (person: Reviewer) => Promise<boolean>;
/**
 * The ids of all who may write, and perhaps of some who may not: for crowds, of whom each is not asked about. Null:
 * the host does not say. @throws HostError
 */
export type ListWriters = () => Promise<ReadonlySet<number> | null>;

export type Approval = {
  /** Null: the host cannot say. */
  approved: boolean | null;
  /** Why it is not approved, for people; null when it is. */
  reason: string | null;
  /** What kept the host from saying for now; worth another question later. */
  failure?: HostError;
};

/** The last decisive review of each person, whoever they are. Pure. */
export type Words = {
  objections: Reviewer[];
  approvals: Reviewer[];
  /** Approvals that never count. */
  older: number;
  own: number;
};

type Review = {
  state?: unknown;
  commit_id?: unknown;
  user?: { id?: unknown; login?: unknown } | null;
  author_association?: unknown;
};
type Word = Reviewer & { state: string; present: boolean; known: boolean };

/** People of one request that the host is asked about one by one; of more, those that it lists as writers. */
const MOST_PEOPLE = 30;
/** Who is likely to have write access is asked about first: strangers must not use up what is asked at most. */
const KNOWN = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const DECISIVE = new Set(["APPROVED", "CHANGES_REQUESTED", "DISMISSED"]);
/** A later try may do better. */
const FOR_NOW: ReadonlySet<string> = new Set(["rate_limited", "unavailable"]);

/**
 * Comments take nothing back. An objection stands whatever head it was about, an approval is of one head. Accounts that
 * are gone say nothing.
 * @param reviews oldest first, as hosts list them
 */
export function wordsOf(
  reviews: readonly unknown[],
  { headSha, authorId }: { headSha: string; authorId: unknown },
): Words {
  const words = new Map<number, Word>();
  for (const { state, commit_id, user, author_association } of reviews as readonly Review[]) {
    const { id, login } = user ?? {};
    if (typeof state !== "string" || !DECISIVE.has(state)) continue;
    if (!Number.isSafeInteger(id) || typeof login !== "string" || login === "") continue;
    const word = { id: id as number, login, state, present: commit_id === headSha };
    words.set(word.id, { ...word, known: KNOWN.has(String(author_association)) });
  }
  const all = [...words.values()].sort((a, b) => Number(b.known) - Number(a.known));
  const approving = all.filter(({ state }) => state === "APPROVED");
  const others = approving.filter(({ id }) => id !== authorId);
  return {
    objections: all.filter(({ state, id }) => state === "CHANGES_REQUESTED" && id !== authorId),
    approvals: others.filter(({ present }) => present),
    older: others.filter(({ present }) => !present).length,
    own: approving.length - others.length,
  };
}

/**
 * Asks about no more people than the answer needs. What cannot be found out is never an approval. A crowd of strangers
 * neither makes one nor prevents it.
 */
export async function approvalOf(
  { objections, approvals, older, own }: Words,
  mayWrite: MayWrite,
  listWriters: ListWriters = async () => null,
): Promise<Approval> {
  if (objections.length + approvals.length === 0) return { approved: false, reason: whyNot(0, older, own) };
  try {
    const objecting = await any(objections, mayWrite, listWriters);
    if (objecting === null) return { approved: null, reason: TOO_MANY };
    if (objecting) return { approved: false, reason: OBJECTION };
    const approving = await any(approvals, mayWrite, listWriters);
    if (approving === null) return { approved: null, reason: TOO_MANY };
    if (approving) return { approved: true, reason: null };
    return { approved: false, reason: whyNot(approvals.length, older, own) };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const reason = `whether its reviewers have write access is not known: ${error.reason}`;
    return { approved: null, reason, ...(FOR_NOW.has(error.failure) && { failure: error }) };
  }
}

const TOO_MANY = `more than ${MOST_PEOPLE} people have reviewed it`;
const OBJECTION = "a person with write access asks for changes";

/** Whether one of them may write; null where they are more than can be found out about. */
async function any(people: readonly Reviewer[], mayWrite: MayWrite, listWriters: ListWriters): Promise<boolean | null> {
  const first = people.slice(0, MOST_PEOPLE);
  for (const person of first) if (await mayWrite(person)) return true;
  const rest = people.slice(MOST_PEOPLE);
  if (rest.length === 0) return false;
  const writers = await listWriters();
  const likely = rest.filter(({ id }) => writers?.has(id));
  for (const person of likely.slice(0, MOST_PEOPLE)) if (await mayWrite(person)) return true;
  return writers === null || likely.length > MOST_PEOPLE ? null : false;
}

function whyNot(strangers: number, older: number, own: number): string {
  const parts = [
    ...(strangers === 1 ? ["1 review by a person without write access"] : []),
    ...(strangers > 1 ? [`${strangers} reviews by people without write access`] : []),
    ...(older > 0 ? [`${older} ${older === 1 ? "review" : "reviews"} of an older head`] : []),
    ...(own > 0 ? ["a review by its own author"] : []),
  ];
  return parts.length === 0 ? "nobody has approved it" : parts.join(", ");
}

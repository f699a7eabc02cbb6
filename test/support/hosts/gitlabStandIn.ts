/** GitLab as its API documents, with a real repository behind it, in a group within a group. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type { Delivered, HostReply, HostRequest, ScriptedPull, ScriptedReview } from "../scriptedHost.ts";
import type { CodeHost, RequestChange } from "./codeHost.ts";
import { StandIn } from "./standIn.ts";

const ACTIONS: Readonly<Record<RequestChange, string>> = {
  opened: "open",
  updated: "update",
  retargeted: "update",
  reopened: "reopen",
  reviewed: "approved",
  closed: "close",
  merged: "merge",
};
const LEVELS = { admin: 40, write: 30, read: 20, none: 0 };
const PATH = "acme/platform/infra";
/** When the host has looked at each head; approvals of it come after. */
const SEEN = "2026-01-02T00:00:00.000Z";

type Status = { sha: string; name: string; status: string };

export class GitlabStandIn extends StandIn implements CodeHost {
  readonly kind = "gitlab";
  readonly idHeader = "idempotency-key";
  protected readonly apiPath = "/api/v4";
  protected readonly repositoryPath = PATH;
  /** How deliveries are proved: by the secret itself, or with a signature. */
  isSigning = false;
  /** Whether approvals tell their time, as newer installations do. */
  tellsTimes = true;
  readonly #forks = new Set<string>();

  readonly cutComparison: CodeHost["script"] = ({ path }) =>
    path.endsWith("/repository/compare") ? { status: 200, body: { diffs: [], compare_timeout: true } } : undefined;

  static async start(): Promise<GitlabStandIn> {
    const host = new GitlabStandIn(await StandIn.state());
    await host.listen();
    return host;
  }

  /** From now on deliveries are signed, and the secret is a key for that. */
  sign(): void {
    this.isSigning = true;
    this.webhookSecret = `whsec_${randomBytes(32).toString("base64")}`;
  }

  protected isAuthorized(header: string): boolean {
    return header === `Bearer ${this.token}`;
  }

  webhookTo(url: string): object {
    return {
      id: 1,
      url,
      push_events: true,
      merge_requests_events: true,
      pipeline_events: true,
      alert_status: "executable",
    };
  }

  protected async reply(asked: HostRequest): Promise<HostReply | undefined> {
    if (asked.path === "/version") return ok({ version: "18.9.0", revision: "0123456789a" });
    const prefix = `/projects/${encodeURIComponent(PATH)}`;
    if (this.state.private && asked.authorization === "") return undefined;
    if (asked.path === prefix) return ok(this.#project());
    if (!asked.path.startsWith(`${prefix}/`)) return undefined;
    const parts = asked.path
      .slice(prefix.length + 1)
      .split("/")
      .map(decodeURIComponent);
    return (await this.#ofRepository(asked, parts)) ?? this.#ofProject(asked, parts);
  }

  async #ofRepository(asked: HostRequest, parts: string[]): Promise<HostReply | undefined> {
    const [noun, first = "", second = "", third] = parts;
    const { query } = asked;
    if (noun === "statuses") return this.#setStatus(first, asked.body as Record<string, string>);
    if (noun !== "repository") return undefined;
    if (first === "branches") {
      const sha = await this.state.head(second);
      if (sha === null) return { status: 404, body: { message: "404 Branch Not Found" } };
      return ok({ name: second, commit: await this.#commit(sha) });
    }
    if (first === "merge_base") return this.#mergeBase(query.getAll("refs[]"));
    if (first === "compare") return this.#compare(query.get("from") ?? "", query.get("to") ?? "");
    if (first !== "commits") return undefined;
    if (third === "statuses") return this.page(asked, this.#statusesOf(second), "per_page", 100);
    if (third === "merge_requests") {
      const found = [...this.state.pulls.values()].filter(({ sha }) => sha === second);
      return ok(found.map(({ number }) => ({ iid: number, state: "opened" })));
    }
    const sha = await this.peeled(second);
    return sha === null ? { status: 404, body: { message: "404 Commit Not Found" } } : ok(await this.#commit(sha));
  }

  #ofProject(asked: HostRequest, [noun, first = "", second, third]: string[]): HostReply | undefined {
    if (noun === "hooks") return this.page(asked, this.webhooks, "per_page", 100);
    if (noun === "members") {
      const [name, person] = [...this.state.people].find(([, { id }]) => id === Number(second)) ?? [];
      if (person === undefined || LEVELS[person.permission] === 0)
        return { status: 404, body: { message: "404 Not found" } };
      return ok({ id: person.id, username: name, state: "active", access_level: LEVELS[person.permission] });
    }
    if (noun !== "merge_requests") return undefined;
    if (first === "") {
      const target = asked.query.get("target_branch");
      const open = [...this.state.pulls.values()].filter(({ base }) => base === target);
      return this.page(
        asked,
        open.map((pull) => this.#listed(pull)),
        "per_page",
        100,
      );
    }
    const pull = this.state.pulls.get(Number(first));
    if (second === "notes") return this.#notes(asked, Number(first), third, pull);
    return pull && this.#ofRequest(asked, pull, second);
  }

  #ofRequest(asked: HostRequest, pull: ScriptedPull, part: string | undefined): HostReply | undefined {
    const diffs = pull.files.map(({ filename, previous_filename }) => ({
      new_path: filename,
      old_path: previous_filename ?? filename,
    }));
    const reviews = pull.reviews ?? [];
    const userOf = ({ user }: ScriptedReview) => ({ id: user.id, username: user.login });
    switch (part) {
      case undefined:
        return ok({ ...this.#listed(pull), changes_count: String(diffs.length), head_pipeline: null });
      case "diffs":
        return this.page(asked, diffs, "per_page", 100);
      case "approvals": {
        const approved_by = reviews
          .filter(({ state }) => state === "APPROVED")
          .map((review) => ({
            user: userOf(review),
            ...(this.tellsTimes && { approved_at: this.#saidAt(review, pull) }),
          }));
        return ok({ approved: approved_by.length > 0, approved_by });
      }
      case "versions":
        return this.page(asked, [{ id: 1, head_commit_sha: pull.sha, created_at: SEEN }], "per_page", 100);
      case "reviewers":
        return this.page(
          asked,
          reviews.map((review) => ({
            user: userOf(review),
            state: review.state === "CHANGES_REQUESTED" ? "requested_changes" : "approved",
          })),
          "per_page",
          100,
        );
      default:
        return undefined;
    }
  }

  /** An approval names no commit: only its time tells which head it is of. */
  #saidAt({ commit_id }: ScriptedReview, { sha }: ScriptedPull): string {
    return commit_id === sha ? "2026-01-03T00:00:00.000Z" : "2026-01-01T00:00:00.000Z";
  }

  #notes(
    asked: HostRequest,
    number: number,
    id: string | undefined,
    pull: ScriptedPull | undefined,
  ): HostReply | undefined {
    const { comments } = this.state;
    const body = String((asked.body as { body?: unknown } | undefined)?.body ?? "");
    if (asked.method === "PUT") {
      const comment = comments.get(Number(id));
      if (comment === undefined || comment.number !== number)
        return { status: 404, body: { message: "404 Note Not Found" } };
      comment.body = body;
      return ok(comment);
    }
    if (asked.method === "POST") {
      const comment = { id: comments.size + 1, number, body };
      comments.set(comment.id, comment);
      return { status: 201, body: comment };
    }
    const written = [...comments.values()].filter((one) => one.number === number);
    const approvals = (pull?.reviews ?? []).filter(({ state }) => state === "APPROVED");
    const system = approvals.map((review) => ({
      id: 1_000 + review.user.id,
      system: true,
      body: "approved this merge request",
      author: { id: review.user.id, username: review.user.login },
      created_at: pull && this.#saidAt(review, pull),
    }));
    return this.page(asked, asked.query.get("activity_filter") ? system : [...written, ...system], "per_page", 100);
  }

  async #setStatus(sha: string, sent: Record<string, string>): Promise<HostReply> {
    const { name = "", state = "", ref } = sent;
    const onBranch = (await this.git("for-each-ref", "--contains", sha, "refs/heads").catch(() => "")) !== "";
    if (this.#forks.has(sha) || !onBranch) {
      if (ref === undefined) return { status: 404, body: { message: "404 References for commit Not Found" } };
    }
    const open = this.#statusesOf(sha).find((one) => one.name === name);
    if (open?.status === "pending" && state === "pending") {
      return { status: 400, body: { message: "Cannot transition status via :enqueue from :pending" } };
    }
    const shown = state === "failed" ? "failure" : state;
    this.state.statuses.push({ sha, state: shown, context: name });
    return { status: 201, body: {} };
  }

  /** The last of each name. */
  #statusesOf(sha: string): Status[] {
    const latest = new Map(this.state.statuses.filter((one) => one.sha === sha).map((one) => [one.context, one]));
    return [...latest.values()].map(({ context, state }) => ({
      sha,
      name: context,
      status: state === "failure" || state === "error" ? "failed" : state,
    }));
  }

  /** From now on the commit counts as on no branch of the project. */
  onlyInFork(sha: string): void {
    this.#forks.add(sha);
  }

  async #mergeBase(refs: string[]): Promise<HostReply> {
    const known = await Promise.all(refs.map((ref) => this.peeled(ref)));
    if (known.includes(null)) return { status: 400, body: { message: "Could not find ref" } };
    const base = (await this.git("merge-base", ...refs).catch(() => "")).trim();
    if (base === "") return { status: 404, body: { message: "404 Merge Base Not Found" } };
    return ok(await this.#commit(base));
  }

  async #compare(from: string, to: string): Promise<HostReply> {
    const out = await this.git("diff", "--name-status", "-M", "-z", `${from}...${to}`).catch(() => null);
    if (out === null) return { status: 404, body: { message: "404 Ref Not Found" } };
    const names = out.split("\0");
    const diffs: object[] = [];
    for (let at = 0; at < names.length - 1; ) {
      const isRenamed = (names[at++] ?? "").startsWith("R");
      const old_path = names[at++];
      diffs.push({ old_path, new_path: isRenamed ? names[at++] : old_path });
    }
    return ok({ commits: [], diffs, compare_timeout: false });
  }

  async #commit(id: string): Promise<object> {
    const { message, name } = await this.commitOf(id);
    return { id, message, author_name: name, author_email: "ann@corp.example" };
  }

  #listed(pull: ScriptedPull): object {
    const { mergeable } = pull;
    return {
      iid: pull.number,
      title: pull.title ?? `Request ${pull.number}`,
      web_url: `${this.url}/${PATH}/-/merge_requests/${pull.number}`,
      description: "why",
      author: { id: pull.author?.id ?? 1, username: pull.author?.login ?? "ann" },
      sha: pull.sha,
      target_branch: pull.base,
      source_branch: pull.head,
      target_project_id: 1,
      source_project_id: pull.fork ? 2 : 1,
      has_conflicts: mergeable === false,
      merge_status: mergeable === true ? "can_be_merged" : mergeable === false ? "cannot_be_merged" : "unchecked",
      updated_at: pull.updatedAt,
    };
  }

  #project(): object {
    return {
      id: 1,
      path_with_namespace: PATH,
      git_http_url: this.repositoryUrl,
      web_url: `${this.url}/${PATH}`,
      git_ssh_url: `git@127.0.0.1:${PATH}.git`,
    };
  }

  push(branch: string, before: string | null, after: string, id?: string): Delivered {
    const payload = { ref: `refs/heads/${branch}`, before: before ?? "0".repeat(40), after };
    return this.#delivery("Push Hook", { object_kind: "push", ...payload }, id);
  }

  tag(name: string, commit: string): Delivered {
    const payload = { ref: `refs/tags/${name}`, before: "0".repeat(40), after: commit };
    return this.#delivery("Tag Push Hook", { object_kind: "tag_push", ...payload });
  }

  branchDeleted(branch: string, before: string): Delivered {
    const payload = { ref: `refs/heads/${branch}`, before, after: "0".repeat(40) };
    return this.#delivery("Push Hook", { object_kind: "push", ...payload });
  }

  request(change: RequestChange, number: number, base = "main", id?: string): Delivered {
    const pull = this.state.pulls.get(number);
    const object_attributes = {
      iid: number,
      action: ACTIONS[change],
      target_branch: base,
      source_branch: pull?.head,
      last_commit: { id: pull?.sha ?? "" },
    };
    return this.#delivery("Merge Request Hook", { object_kind: "merge_request", object_attributes }, id);
  }

  unknown(): Delivered {
    return this.#delivery("Emoji Hook", { object_kind: "emoji", object_attributes: { action: "award" } });
  }

  checked(sha: string): Delivered {
    const object_attributes = { sha, status: "success", ref: "feature" };
    return this.#delivery("Pipeline Hook", { object_kind: "pipeline", object_attributes, merge_request: null });
  }

  provedWith({ body, headers }: Delivered, secret: string): Delivered {
    const { "x-gitlab-token": _, "webhook-signature": __, ...rest } = headers;
    if (!this.isSigning) return { body, headers: { ...rest, "x-gitlab-token": secret } };
    const [id, timestamp] = [headers["idempotency-key"] ?? "", String(Math.floor(Date.now() / 1_000))];
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    const proof = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}` };
    return { body, headers: { ...rest, ...proof } };
  }

  about({ body, headers }: Delivered, url: string): Delivered {
    const project = { id: 9, git_http_url: url, web_url: url };
    return this.provedWith({ body: JSON.stringify({ ...JSON.parse(body), project }), headers }, this.webhookSecret);
  }

  #delivery(event: string, payload: object, id: string = randomUUID()): Delivered {
    const body = JSON.stringify({ project: this.#project(), ...payload });
    const headers = {
      "content-type": "application/json",
      "x-gitlab-event": event,
      "x-gitlab-event-uuid": randomUUID(),
      "idempotency-key": id,
    };
    return this.provedWith({ body, headers }, this.webhookSecret);
  }
}

function ok(body: unknown): HostReply {
  return { status: 200, body };
}

/** Gitea as its API documents, with a real repository behind it: test/gitea/story.real.ts meets the real one. */
import { createHmac, randomUUID } from "node:crypto";
import type { Delivered, HostReply, HostRequest, ScriptedPull } from "../scriptedHost.ts";
import type { CodeHost, RequestChange } from "./codeHost.ts";
import { StandIn } from "./standIn.ts";

const ACTIONS: Readonly<Record<RequestChange, string>> = {
  opened: "opened",
  updated: "synchronized",
  retargeted: "edited",
  reopened: "reopened",
  reviewed: "reviewed",
  closed: "closed",
  merged: "closed",
};

export class GiteaStandIn extends StandIn implements CodeHost {
  readonly kind = "gitea";
  readonly idHeader = "x-gitea-delivery";
  protected readonly apiPath = "/api/v1";
  protected readonly repositoryPath = "acme/infra";
  /** Contexts that the branch's protection requires. */
  required: string[] | undefined;

  readonly cutComparison: CodeHost["script"] = ({ path }) =>
    path.includes("/git/trees/") ? { status: 200, body: { tree: [], truncated: true } } : undefined;

  static async start(): Promise<GiteaStandIn> {
    const host = new GiteaStandIn(await StandIn.state());
    await host.listen();
    return host;
  }

  protected isAuthorized(header: string): boolean {
    return header === `token ${this.token}`;
  }

  webhookTo(url: string): object {
    const events = ["push", "pull_request", "pull_request_sync", "pull_request_review", "status"];
    return { id: 1, type: "gitea", active: true, branch_filter: "*", events, config: { url, content_type: "json" } };
  }

  protected async reply(asked: HostRequest): Promise<HostReply | undefined> {
    if (asked.path === "/version") return ok({ version: "1.26.0" });
    const prefix = "/repos/acme/infra";
    if (this.state.private && asked.authorization === "") return undefined;
    if (asked.path === prefix) return ok(this.#repository());
    if (!asked.path.startsWith(`${prefix}/`)) return undefined;
    const parts = asked.path
      .slice(prefix.length + 1)
      .split("/")
      .map(decodeURIComponent);
    return (await this.#ofCommits(asked, parts)) ?? this.#ofRequests(asked, parts);
  }

  async #ofCommits(asked: HostRequest, [noun, first = "", second]: string[]): Promise<HostReply | undefined> {
    const { query, method } = asked;
    if (noun === "branches") return this.#branch(first);
    if (noun === "git" && first === "commits") {
      const sha = await this.peeled(second ?? "");
      return sha === null ? undefined : ok(await this.#commit(sha));
    }
    if (noun === "git" && first === "trees") return this.#tree(second ?? "");
    if (noun === "commits" && first === "") {
      const [sha, not] = [query.get("sha") ?? "", query.get("not")];
      // As the host: a commit that it does not have is an error of its own.
      if ((await this.peeled(sha)) === null || (not && (await this.peeled(not)) === null)) return { status: 500 };
      const shas = (await this.git("rev-list", sha, ...(not ? [`^${not}`] : []))).split("\n").filter(Boolean);
      return this.#list(asked, await Promise.all(shas.map((each) => this.#commit(each))));
    }
    const { statuses } = this.state;
    if (noun === "statuses" && method === "POST") {
      statuses.push({ sha: first, ...(asked.body as { state: string; context: string }) });
      return { status: 201, body: {} };
    }
    if (noun !== "commits" || second !== "status") return undefined;
    const latest = new Map(statuses.filter(({ sha }) => sha === first).map((one) => [one.context, one]));
    const items = [...latest.values()].map(({ context, state }) => ({ context, status: state }));
    const reply = this.#list(asked, items);
    return { ...reply, body: { state: "", statuses: reply.body } };
  }

  /** As the host: of reviews and webhooks it tells how many there are, and no next page. */
  #list(asked: HostRequest, items: unknown[]): Exclude<HostReply, "hang"> {
    const { headers, ...reply } = this.page(asked, items, "limit", 50);
    const link = /\/(?:reviews|hooks)$/.test(asked.path) ? {} : headers;
    return { ...reply, headers: { ...link, "x-total-count": String(items.length) } };
  }

  #ofRequests(asked: HostRequest, [noun, first = "", second]: string[]): HostReply | undefined {
    if (noun === "hooks") return this.#list(asked, this.webhooks);
    if (noun === "collaborators") {
      const { id, permission } = this.state.people.get(first) ?? { id: 0, permission: "none" };
      return ok({ permission, user: { id, login: first } });
    }
    if (noun === "issues") return this.#ofIssue(asked, first, second);
    if (noun !== "pulls") return undefined;
    if (first === "") {
      return this.#list(
        asked,
        [...this.state.pulls.values()].map((pull) => this.#pull(pull)),
      );
    }
    const pull = this.state.pulls.get(Number(first));
    if (pull === undefined) return undefined;
    if (second === "files") return this.#list(asked, pull.files);
    if (second !== "reviews") return ok(this.#pull(pull));
    const reviews = (pull.reviews ?? []).map((review) => ({
      ...review,
      state: review.state === "CHANGES_REQUESTED" ? "REQUEST_CHANGES" : review.state,
      dismissed: false,
      official: true,
    }));
    return this.#list(asked, reviews);
  }

  #ofIssue(asked: HostRequest, first: string, second: string | undefined): HostReply | undefined {
    const { comments } = this.state;
    const body = String((asked.body as { body?: unknown } | undefined)?.body ?? "");
    if (first === "comments") {
      const comment = comments.get(Number(second));
      if (comment === undefined) return undefined;
      comment.body = body;
      return ok(comment);
    }
    const number = Number(first);
    if (asked.method === "GET") {
      const all = [...comments.values()].filter((one) => one.number === number);
      // The host gives them whole.
      return { status: 200, body: all, headers: { "x-total-count": String(all.length) } };
    }
    const comment = { id: comments.size + 1, number, body };
    comments.set(comment.id, comment);
    return { status: 201, body: comment };
  }

  async #branch(name: string): Promise<HostReply> {
    const sha = await this.state.head(name);
    if (sha === null) return { status: 404, body: { message: "The target couldn't be found.", errors: [] } };
    const { message, name: author } = await this.commitOf(sha);
    const rules = { enable_status_check: this.required !== undefined, status_check_contexts: this.required ?? [] };
    return ok({ name, commit: { id: sha, message, author: { name: author, username: "" } }, ...rules });
  }

  async #commit(sha: string): Promise<object> {
    const { message, name, parents } = await this.commitOf(sha);
    return { sha, author: null, commit: { message, author: { name } }, parents: parents.map((id) => ({ sha: id })) };
  }

  async #tree(id: string): Promise<HostReply | undefined> {
    const out = await this.git("ls-tree", "-z", id).catch(() => null);
    if (out === null) return undefined;
    const tree = out
      .split("\0")
      .filter(Boolean)
      .map((line) => {
        const [, mode, type, sha, path] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
        return { mode, type, sha, path };
      });
    return ok({ sha: id, tree: tree.length === 0 ? null : tree, truncated: false, page: 1, total_count: tree.length });
  }

  #pull(pull: ScriptedPull): object {
    return {
      number: pull.number,
      title: pull.title ?? `Request ${pull.number}`,
      html_url: `${this.url}/acme/infra/pulls/${pull.number}`,
      body: "why",
      user: pull.author ?? { id: 1, login: "ann" },
      base: { ref: pull.base, label: pull.base, repo_id: 1 },
      head: { ref: pull.head, label: pull.head, sha: pull.sha, repo_id: pull.fork ? 2 : 1 },
      mergeable: pull.mergeable ?? null,
      updated_at: pull.updatedAt,
    };
  }

  #repository(): object {
    return {
      id: 1,
      full_name: "acme/infra",
      clone_url: this.repositoryUrl,
      html_url: `${this.url}/acme/infra`,
      ssh_url: "git@127.0.0.1:acme/infra.git",
    };
  }

  push(branch: string, before: string | null, after: string, id?: string): Delivered {
    return this.#delivery("push", { ref: `refs/heads/${branch}`, before: before ?? "0".repeat(40), after }, id);
  }

  tag(name: string, commit: string): Delivered {
    return this.#delivery("push", { ref: `refs/tags/${name}`, before: "0".repeat(40), after: commit });
  }

  branchDeleted(branch: string, before: string): Delivered {
    return this.#delivery("push", { ref: `refs/heads/${branch}`, before, after: "0".repeat(40) });
  }

  request(change: RequestChange, number: number, base = "main", id?: string): Delivered {
    const event = change === "reviewed" ? "pull_request_approved" : "pull_request";
    const pull = this.state.pulls.get(number);
    const request = { number, base: { ref: base }, head: { sha: pull?.sha ?? "" } };
    return this.#delivery(event, { action: ACTIONS[change], number, pull_request: request }, id);
  }

  unknown(): Delivered {
    return this.#delivery("wiki", { action: "created" });
  }

  checked(sha: string, context = "ci/build"): Delivered {
    return this.#delivery("status", { sha, context, state: "success" });
  }

  provedWith({ body, headers }: Delivered, secret: string): Delivered {
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return { body, headers: { ...headers, "x-gitea-signature": signature } };
  }

  about({ body, headers }: Delivered, url: string): Delivered {
    const repository = { clone_url: url, html_url: url };
    return this.provedWith({ body: JSON.stringify({ ...JSON.parse(body), repository }), headers }, this.webhookSecret);
  }

  #delivery(event: string, payload: object, id: string = randomUUID()): Delivered {
    const body = JSON.stringify({ repository: this.#repository(), ...payload });
    const headers = { "content-type": "application/json", "x-gitea-event": event, "x-gitea-delivery": id };
    return this.provedWith({ body, headers }, this.webhookSecret);
  }
}

function ok(body: unknown): HostReply {
  return { status: 200, body };
}

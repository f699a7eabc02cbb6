/** GitHub's scripted stand-in as a code host like the others. */
import { createHmac } from "node:crypto";
import { type Delivered, type HostReply, type HostRequest, ScriptedHost } from "../scriptedHost.ts";
import type { CodeHost, RequestChange } from "./codeHost.ts";

const ACTIONS: Readonly<Record<RequestChange, string>> = {
  opened: "opened",
  updated: "synchronize",
  retargeted: "edited",
  reopened: "reopened",
  reviewed: "submitted",
  closed: "closed",
  merged: "closed",
};

export class GithubStandIn implements CodeHost {
  readonly kind = "github";
  readonly idHeader = "x-github-delivery";
  readonly state: ScriptedHost;
  webhooks: object[] = [];
  script: (request: HostRequest) => HostReply | undefined | Promise<HostReply | undefined> = () => undefined;

  readonly cutComparison: CodeHost["script"] = ({ path }) => {
    const files = Array.from({ length: 300 }, (_, i) => ({ filename: `elsewhere/${i}` }));
    return path.includes("/compare/") ? { status: 200, body: { status: "ahead", files } } : undefined;
  };

  private constructor(state: ScriptedHost) {
    this.state = state;
    state.script = async (asked) =>
      (await this.script(asked)) ?? (asked.path.endsWith("/hooks") ? { status: 200, body: this.webhooks } : undefined);
  }

  static async start(): Promise<GithubStandIn> {
    return new GithubStandIn(await ScriptedHost.start());
  }

  stop(): Promise<void> {
    return this.state.stop();
  }
  get url(): string {
    return this.state.url;
  }
  get apiUrl(): string {
    return this.state.apiUrl;
  }
  get repositoryUrl(): string {
    return this.state.repositoryUrl;
  }
  get repositoryKey(): string {
    return this.state.repositoryKey;
  }
  get token(): string {
    return this.state.token;
  }
  get webhookSecret(): string {
    return this.state.webhookSecret;
  }
  get requests(): HostRequest[] {
    return this.state.requests;
  }

  webhookTo(url: string): object {
    const events = ["push", "pull_request", "pull_request_review", "check_suite"];
    return { id: 1, active: true, events, config: { url, content_type: "json" } };
  }

  push(branch: string, before: string | null, after: string, id?: string): Delivered {
    return this.state.push(branch, before, after, id);
  }

  tag(name: string, commit: string): Delivered {
    return this.state.delivery("push", { ref: `refs/tags/${name}`, before: "0".repeat(40), after: commit });
  }

  branchDeleted(branch: string, before: string): Delivered {
    return this.state.delivery("push", {
      ref: `refs/heads/${branch}`,
      before,
      after: "0".repeat(40),
      deleted: true,
    });
  }

  request(change: RequestChange, number: number, base = "main", id?: string): Delivered {
    const event = change === "reviewed" ? "pull_request_review" : "pull_request";
    const sha = this.state.pulls.get(number)?.sha;
    const pull_request = { number, base: { ref: base }, head: { sha } };
    return this.state.delivery(event, { action: ACTIONS[change], pull_request }, id);
  }

  unknown(): Delivered {
    return this.state.delivery("constructor", {});
  }

  /** The host names the requests itself. */
  checked(sha: string): Delivered {
    const requests = [...this.state.pulls.values()].filter((pull) => pull.sha === sha);
    const pull_requests = requests.map(({ number, base }) => ({ number, base: { ref: base, repo: { id: 1 } } }));
    return this.state.delivery("check_suite", { action: "completed", check_suite: { pull_requests } });
  }

  provedWith({ body, headers }: Delivered, secret: string): Delivered {
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return { body, headers: { ...headers, "x-hub-signature-256": `sha256=${signature}` } };
  }

  about({ body, headers }: Delivered, url: string): Delivered {
    const repository = { clone_url: url, html_url: url };
    return this.provedWith({ body: JSON.stringify({ ...JSON.parse(body), repository }), headers }, this.webhookSecret);
  }
}

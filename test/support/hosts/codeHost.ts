/** A code host of any kind, as the tests that hold for all of them see it. */
import type { HostKind } from "../../../src/exchange/scm/hostKind.ts";
import type { Delivered, HostReply, HostRequest, ScriptedHost } from "../scriptedHost.ts";

/** What happened to a pull request. */
export type RequestChange = "opened" | "updated" | "retargeted" | "reopened" | "reviewed" | "closed" | "merged";

export type CodeHost = {
  kind: HostKind;
  /** The repository, its requests, reviews and people, and what was published: the same for every kind. */
  state: ScriptedHost;
  url: string;
  apiUrl: string;
  repositoryUrl: string;
  repositoryKey: string;
  token: string;
  webhookSecret: string;
  /** Calls of this host's API so far. */
  requests: HostRequest[];
  /** Looked at before the real answer; undefined lets that through. */
  script: (request: HostRequest) => HostReply | undefined | Promise<HostReply | undefined>;
  /** A script by which the host does not tell all that lies between two commits, in its own way. */
  cutComparison: CodeHost["script"];
  webhooks: object[];
  /** A webhook that leads to the address and delivers everything that is needed. */
  webhookTo(url: string): object;
  push(branch: string, before: string | null, after: string, id?: string): Delivered;
  tag(name: string, commit: string): Delivered;
  branchDeleted(branch: string, before: string): Delivered;
  request(change: RequestChange, number: number, base?: string, id?: string): Delivered;
  /** About something that nobody here knows. */
  unknown(): Delivered;
  /** The checks of a commit have ended, of no request that the host names. */
  checked(sha: string, context?: string): Delivered;
  /** The same delivery, proved with another secret. */
  provedWith(delivered: Delivered, secret: string): Delivered;
  /** The same about another repository. */
  about(delivered: Delivered, url: string): Delivered;
  /** The header that is this host's delivery id. */
  idHeader: string;
  stop(): Promise<void>;
};

/** The code host's REST API, as far as a sign-in asks it: who, which organizations, which teams. */
import * as v from "valibot";
import type { Egress } from "../../platform/egress/egress.ts";
import { isEgressError, ProviderUnavailableError } from "./errors.ts";
import type { Facts } from "./provider.ts";

const Person = v.object({
  id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  login: v.pipe(v.string(), v.minLength(1)),
  name: v.nullish(v.string(), null),
});
const Orgs = v.array(v.object({ login: v.string() }));
const Teams = v.array(v.object({ slug: v.string(), organization: v.object({ login: v.string() }) }));
const Emails = v.array(v.object({ email: v.string(), primary: v.boolean(), verified: v.boolean() }));

const PER_PAGE = 100;
/** 2,000 teams. Who has more gets no answer rather than a part of one. */
const MAX_PAGES = 20;

/** A call that was answered, but not with what was asked for. */
class CodehostAnswerError extends Error {
  override name = "CodehostAnswerError";
}

export class CodehostApi {
  readonly #egress: Egress;
  readonly #base: string;
  readonly #accessToken: string;

  constructor(egress: Egress, base: string, accessToken: string) {
    this.#egress = egress;
    this.#base = base;
    this.#accessToken = accessToken;
  }

  /** @throws ProviderUnavailableError */
  async person(): Promise<v.InferOutput<typeof Person>> {
    try {
      return v.parse(Person, (await this.#get(`${this.#base}/user`)).json);
    } catch (error) {
      throw new ProviderUnavailableError(isEgressError(error) ? error : undefined);
    }
  }

  /**
   * Null when any part of it could not be had (a host's outage, a missing scope): half an answer would end memberships
   * and rights that the other half holds.
   */
  async memberships(): Promise<Facts | null> {
    try {
      const orgs = await this.#all("/user/orgs", Orgs);
      const teams = await this.#all("/user/teams", Teams);
      return {
        kind: "codehost",
        orgs: orgs.map(({ login }) => login),
        // By slug only: a team's name can be changed by its members to that of another.
        teams: teams.map(({ slug, organization }) => ({ org: organization.login, team: slug })),
      };
    } catch (error) {
      if (isAnswerProblem(error)) return null;
      throw error;
    }
  }

  /** The primary address, when the host has verified it. */
  async verifiedEmail(): Promise<string | null> {
    try {
      const emails = await this.#all("/user/emails", Emails);
      return emails.find(({ primary, verified }) => primary && verified)?.email ?? null;
    } catch (error) {
      if (isAnswerProblem(error)) return null;
      throw error;
    }
  }

  /** Every page of a list. */
  async #all<S extends v.GenericSchema<unknown, unknown[]>>(path: string, schema: S): Promise<v.InferOutput<S>> {
    const items: unknown[] = [];
    let url: string | null = `${this.#base}${path}?per_page=${PER_PAGE}`;
    for (let page = 0; url !== null; page++) {
      if (page === MAX_PAGES) throw new CodehostAnswerError("more pages than are read");
      const answer = await this.#get(url);
      items.push(...v.parse(schema, answer.json));
      url = answer.next;
    }
    return items as v.InferOutput<S>;
  }

  async #get(url: string): Promise<{ json: unknown; next: string | null }> {
    const answer = await this.#egress.request({
      url,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${this.#accessToken}`,
        "user-agent": "deployment-orchestrator",
        "x-github-api-version": "2022-11-28",
      },
    });
    if (answer.status !== 200) throw new CodehostAnswerError(`answered ${answer.status}`);
    let json: unknown;
    try {
      json = JSON.parse(answer.body.toString("utf8"));
    } catch {
      throw new CodehostAnswerError("answered no JSON");
    }
    return { json, next: nextPage(answer.headers.link, this.#base) };
  }
}

function isAnswerProblem(error: unknown): boolean {
  return error instanceof CodehostAnswerError || error instanceof v.ValiError || isEgressError(error);
}

/** The next page by the Link header; only of the same API, since the access token goes with the request. */
export function nextPage(link: string | undefined, base: string): string | null {
  const match = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? "");
  if (match?.[1] === undefined) return null;
  const url = URL.parse(match[1]);
  if (url === null || url.origin !== new URL(base).origin) throw new CodehostAnswerError("the next page is elsewhere");
  return url.href;
}

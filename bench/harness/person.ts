/** A person (by a service account's token) who creates deployments and decides on them, over HTTP. */
import { setTimeout as sleep } from "node:timers/promises";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import type { BenchOrg } from "./seed.ts";

export type HttpAnswer = { status: number; body: unknown };
export type Decision = "confirm" | "skip" | "cancel" | "prioritize";

export class Person {
  readonly #baseUrl: () => string;
  readonly #org: Pick<BenchOrg, "orgId" | "adminToken">;
  readonly #timeoutMs: number;

  /** @param baseUrl asked for each request, so that a copy of the API that is away can be passed over */
  constructor(baseUrl: () => string, org: Pick<BenchOrg, "orgId" | "adminToken">, timeoutMs = 30_000) {
    this.#baseUrl = baseUrl;
    this.#org = org;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws only when there was no answer. */
  async call(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<HttpAnswer> {
    const response = await fetch(`${this.#baseUrl()}/api/v1/orgs/${this.#org.orgId}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#org.adminToken}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }

  /** Ask again, with the same key, until there is an answer other than 429 and 5xx. */
  async insist(
    method: string,
    path: string,
    body: unknown,
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    for (;;) {
      signal.throwIfAborted();
      const answer = await this.call(method, path, body, idempotencyKey).catch(() => null);
      if (answer !== null && answer.status !== 429 && answer.status < 500) return answer;
      await sleep(200 + Math.random() * 300);
    }
  }

  /** @throws when the answer is not 201 */
  async create(slug: string, body: object, idempotencyKey?: string): Promise<DeploymentResource> {
    const answer = await this.call("POST", `stacks/${slug}/deployments`, body, idempotencyKey);
    return expectStatus(answer, 201) as DeploymentResource;
  }

  async read(slug: string, id: string): Promise<DeploymentResource> {
    return expectStatus(await this.call("GET", `stacks/${slug}/deployments/${id}`), 200) as DeploymentResource;
  }

  /** @throws when the answer is not 200 */
  async decide(slug: string, id: string, decision: Decision, body: object = {}): Promise<DeploymentResource> {
    const answer = await this.call("POST", `stacks/${slug}/deployments/${id}/${decision}`, body);
    return expectStatus(answer, 200) as DeploymentResource;
  }
}

function expectStatus({ status, body }: HttpAnswer, wanted: number): unknown {
  if (status !== wanted) throw new Error(`expected ${wanted}, got ${status}: ${JSON.stringify(body).slice(0, 500)}`);
  return body;
}

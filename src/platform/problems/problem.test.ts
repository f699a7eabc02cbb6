import { HTTPException } from "hono/http-exception";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { NotFoundError, ProblemError, problemResponse, toProblem } from "./problem.ts";

const ID = "0199f0c8-0000-7000-8000-000000000001";

async function answer(error: unknown) {
  const response = problemResponse(error, ID);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: (await response.json()) as Record<string, unknown>,
  };
}

class BucketEmptyError extends ProblemError {
  constructor() {
    super({ status: 429, code: "rate_limited", detail: "Too many requests.", retryAfterSeconds: 7 });
  }
}

describe("problemResponse", () => {
  it("gives status, code, public text and Retry-After of a foreseen failure", async () => {
    const { status, headers, body } = await answer(new BucketEmptyError());
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      "content-type": "application/problem+json",
      "retry-after": "7",
      "x-request-id": ID,
    });
    expect(body).toEqual({
      type: "about:blank",
      title: "Too Many Requests",
      status: 429,
      detail: "Too many requests.",
      code: "rate_limited",
    });
  });

  it("leaves the code out where a failure has none, and lists refused fields with their allowed values", async () => {
    const errors = [{ field: "mode", message: "unknown mode", allowed: ["plan", "destroy"] }];
    const { body } = await answer(new ProblemError({ status: 409, detail: "The run was reassigned.", errors }));
    expect(body).not.toHaveProperty("code");
    expect(body).toMatchObject({ status: 409, errors });
  });

  it("says nothing of an unforeseen error but the request id", async () => {
    const { status, body } = await answer(new Error("duplicate key value (email)=(a@example.com)"));
    expect(status).toBe(500);
    expect(body).toEqual({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      code: "internal",
      request_id: ID,
    });
  });

  it.each([undefined, null, "text", 42, {}])("answers 500 to a thrown %j", async (thrown) => {
    expect((await answer(thrown)).status).toBe(500);
  });

  it("answers every 404 with equal bytes and equal headers, whatever the cause and the request id", async () => {
    const causes = [new NotFoundError(), new HTTPException(404, { message: "stack 7 is not yours" })];
    const seen = await Promise.all(
      causes.map(async (cause, index) => {
        const response = problemResponse(cause, `id-${index}`);
        const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
        return JSON.stringify([response.status, headers, await response.text()]);
      }),
    );
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).not.toContain("id-");
  });

  it("keeps the status of the framework's refusals but not their text", async () => {
    const { status, body } = await answer(new HTTPException(415, { message: "header was secret/xml" }));
    expect([status, body.code, JSON.stringify(body).includes("secret")]).toEqual([
      415,
      "unsupported_media_type",
      false,
    ]);
    expect((await answer(new HTTPException(500))).body.code).toBe("internal");
    expect((await answer(new HTTPException(418 as 400))).status).toBe(400);
  });

  it("tells a client without credentials how to authenticate", async () => {
    const error = new ProblemError({ status: 401, code: "not_authenticated", detail: "Sign in." });
    expect((await answer(error)).headers["www-authenticate"]).toBe("Bearer");
  });
});

describe("a database that cannot serve", () => {
  it.each([
    "CONNECTION_CLOSED",
    "CONNECTION_ENDED",
    "CONNECT_TIMEOUT",
    "ECONNREFUSED",
    "57P01",
    "57P03",
    "53300",
    "53100",
    "08006",
    "25P03",
  ])("with %s is 503 with Retry-After, also when wrapped", async (code) => {
    const driver = Object.assign(new Error("write CONNECTION_CLOSED 10.0.0.7:5432"), { code });
    for (const error of [driver, new Error("Failed query: select secret", { cause: driver })]) {
      const { status, headers, body } = await answer(error);
      expect([status, body.code, headers["retry-after"]]).toEqual([503, "database_unavailable", "5"]);
      expect(JSON.stringify(body)).not.toMatch(/10\.0\.0\.7|secret/);
    }
  });

  it.each(["23505", "42P01", "40P01", "22P02", "ENOENT", "57014"])("is not suspected on %s", (code) => {
    expect(toProblem(Object.assign(new Error("x"), { code }))).toBeNull();
  });

  it("is recognised from a real refused connection", async () => {
    const sql = postgres("postgres://nobody:none@127.0.0.1:1/none", { max: 1, connect_timeout: 2 });
    const refused = await sql`select 1`.catch((error: unknown) => error);
    await sql.end();
    expect(toProblem(refused)?.code).toBe("database_unavailable");
  });

  it("survives an error that is its own cause", () => {
    const loop = new Error("loop");
    loop.cause = loop;
    expect(toProblem(loop)).toBeNull();
  });
});

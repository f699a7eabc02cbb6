import { Hono } from "hono";
import { generateSpecs } from "hono-openapi";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { type AppEnv, endpoint } from "./endpoint.ts";
import { publicEndpoint } from "./publicEndpoint.ts";

const named = { id: "x", tag: "x", summary: "x" };
const body = v.strictObject({});
const query = v.strictObject({ status: v.optional(v.string()) });

/** The refusals that the document lists of the one route that `add` adds. */
async function refusals(add: (app: Hono<AppEnv>) => void): Promise<string[]> {
  const app = new Hono<AppEnv>();
  add(app);
  const { paths } = await generateSpecs(app);
  return Object.keys(paths["/x"]?.get?.responses ?? {}).filter((status) => status >= "400");
}

describe("the refusals of a route", () => {
  it.each([
    ["nothing", {}, "400 401 431 500"],
    ["a body", { body }, "400 401 413 415 422 431 500"],
    ["bytes", { rawBody: "application/gzip" }, "400 401 413 415 431 500"],
    ["a query", { query }, "400 401 422 431 500"],
    ["refusals of its own", { query, problems: [422, 404] }, "400 401 404 422 431 500"],
  ])("of people with %s", async (_, own, expected) => {
    const add = (app: Hono<AppEnv>) => endpoint(app, "get", "/x", { ...named, ...own }, async () => {});
    expect((await refusals(add)).join(" ")).toBe(expected);
  });

  it("of anyone are limited by address instead of authenticated", async () => {
    const nothing = async () => new Response();
    const add = (app: Hono<AppEnv>) => publicEndpoint(app, "/x", { ...named, query }, async () => {}, nothing);
    expect(await refusals(add)).toEqual(["400", "422", "429", "431", "500"]);
  });
});

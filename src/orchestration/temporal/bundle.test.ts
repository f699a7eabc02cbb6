import { expect, it } from "vitest";
import { bundledSources, bundleWorkflows, forbiddenSources } from "./bundle.ts";

it("bundles our workflows and nothing but the SDK beside them", async () => {
  const sources = bundledSources(await bundleWorkflows());
  expect(sources).toContain("workflows/deployment.ts");
  expect(forbiddenSources(sources)).toEqual([]);
});

it("names a module that has no place in the sandbox", () => {
  const sources = ["workflows/deployment.ts", "node_modules/valibot/dist/index.mjs", "src/platform/db/client.ts"];
  expect(forbiddenSources(sources)).toEqual(["node_modules/valibot/dist/index.mjs", "src/platform/db/client.ts"]);
});

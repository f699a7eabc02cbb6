import { expect, it } from "vitest";
import { SEARCH_ATTRIBUTES } from "../../../workflows/contract.ts";
import { parseDevSettings, readDevSettings } from "./devSettings.ts";

it("gives the development server every search attribute the workflows set", async () => {
  const { search_attributes } = await readDevSettings();
  expect(search_attributes).toEqual(Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, "Keyword"])));
});

it("names the file and the field of a mistake", () => {
  const text = "namespace: deployments\nsearch_attributes:\n  OrgId: Keywrod\n";
  expect(() => parseDevSettings(text)).toThrow(/^temporal-dev.yaml: search_attributes.OrgId: /);
  expect(() => parseDevSettings("namespace: a\nsearch_attributes: {}\nport: 1\n")).toThrow(/temporal-dev.yaml: port/);
});

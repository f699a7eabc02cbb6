import { expect, test } from "vitest";
import { workflowPages } from "./workflowPages.ts";

test("a deployment's workflow has its page where an operator named the place, and nowhere else", () => {
  expect(workflowPages("https://temporal.example.com/ui", "de ployments")("abc")).toBe(
    "https://temporal.example.com/ui/namespaces/de%20ployments/workflows/deployment%2Fabc",
  );
  expect(workflowPages(undefined, "deployments")("abc")).toBeNull();
});

import * as v from "valibot";
import { expect, it } from "vitest";
import { mayName, openedProjects, projectOf } from "./openedProjects.ts";

const ORG = "01a1f77a-0000-7000-8000-000000000001";
const OTHER = "01a1f77a-0000-7000-8000-000000000002";

it.each([
  ["deploy@acme.iam.gserviceaccount.com", "acme"],
  ["deploy@acme.example.com.iam.gserviceaccount.com", "acme.example.com"],
  ["123-compute@developer.gserviceaccount.com", "123"],
  ["acme@appspot.gserviceaccount.com", "acme"],
])("%s is of the project %s", (email, project) => expect(projectOf(email)).toBe(project));

it.each([
  ["", ORG, "acme", false],
  [`${ORG}:acme`, ORG, "acme", true],
  [`${ORG}:acme`, OTHER, "acme", false],
  [`${ORG}:acme`, ORG, "acme-2", false],
  [`*:acme, ${OTHER}:*`, ORG, "acme", true],
  [`*:acme, ${OTHER}:*`, OTHER, "any", true],
  [`*:acme, ${OTHER}:*`, ORG, "any", false],
])("opened by %j, %s may name accounts of %s: %s", (setting, org, project, may) => {
  expect(mayName(v.parse(openedProjects, setting), org, `deploy@${project}.iam.gserviceaccount.com`)).toBe(may);
});

it.each(["acme", `${ORG}`, `${ORG}:`, ":acme", `${ORG}:Acme`])("%j is no setting", (setting) => {
  expect(v.is(openedProjects, setting)).toBe(false);
});

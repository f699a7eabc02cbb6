import { expect, it } from "vitest";
import { servesOrigin } from "./origin.ts";

const at = (hostKind: "github" | "gitea" | "gitlab", apiBaseUrl: string | null, repositoryUrl: string) =>
  servesOrigin({ hostKind, apiBaseUrl }, repositoryUrl);

it.each([
  ["gitea", "https://corp.example/git/api/v1", "https://corp.example/git/acme/infra.git", true],
  ["gitea", "https://corp.example/git/api/v1", "https://corp.example/Git/acme/infra.git", true],
  ["gitea", "https://corp.example/git/api/v1", "https://corp.example/acme/infra.git", false],
  ["gitea", "https://corp.example/git/api/v1", "https://corp.example/other/acme/infra.git", false],
  ["gitea", "https://corp.example/git/api/v1", "https://corp.example/gitea/acme/infra.git", false],
  ["gitea", "https://corp.example/api/v1", "https://corp.example/acme/infra.git", true],
  ["gitlab", "https://corp.example/lab/api/v4", "https://corp.example/lab/a/b/infra.git", true],
  ["gitlab", "https://corp.example/lab/api/v4", "https://corp.example/old/a/b/infra.git", false],
  ["gitlab", null, "https://gitlab.com/a/b/infra.git", true],
  ["github", "https://corp.example/api/v3", "https://corp.example/acme/infra.git", true],
] as const)("%s of %s gets its credentials at %s: %s", (kind, api, url, serves) => {
  expect(at(kind, api, url)).toBe(serves);
});

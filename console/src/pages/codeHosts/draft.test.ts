import { expect, test } from "vitest";
import { bodyOf, draftOf, ofKind } from "./draft.ts";

test("secrets are sent only where they were typed, and only those of the kind of credentials", () => {
  const draft = { ...draftOf(null), name: " git ", url_pattern: "^https://git", app_id: "1", installation_id: "2" };
  expect(bodyOf(draft)).toEqual({
    ...{
      name: "git",
      host_kind: "github",
      url_pattern: "^https://git",
      priority: 100,
      api_base_url: null,
      host_names: [],
    },
    auth_config: { kind: "app", app_id: "1", installation_id: "2" },
  });
  const token = {
    ...draft,
    kind: "token",
    token: "t",
    private_key: "k",
    webhook_secret: "s",
    host_names: "a.b, c.d",
  } as const;
  expect(bodyOf(token)).toMatchObject({
    host_names: ["a.b", "c.d"],
    auth_config: { kind: "token", token: "t", webhook_secret: "s" },
  });
  expect(bodyOf(token).auth_config).not.toHaveProperty("private_key");
});

test("another kind of host has no apps", () => {
  expect(ofKind(draftOf(null), "gitlab")).toEqual({ host_kind: "gitlab", kind: "token" });
  expect(ofKind({ ...draftOf(null), kind: "none" }, "gitea")).toEqual({ host_kind: "gitea" });
  expect(ofKind(draftOf(null), "github")).toEqual({ host_kind: "github" });
});

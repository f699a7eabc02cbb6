/** The kinds of code hosts, in the words of a form. */
import type { HostKind } from "./draft.ts";

export type KindWords = { label: string; pattern: string; api: string; secret: string; token: string };

export const KINDS: Readonly<Record<HostKind, KindWords>> = {
  github: {
    label: "GitHub",
    pattern: "^https://github\\.com/acme/",
    api: "Empty for github.com, else as https://git.corp.example/api/v3",
    secret: "At least 16 characters.",
    token: "Of a user made for this.",
  },
  gitea: {
    label: "Gitea or Forgejo",
    pattern: "^https://git\\.corp\\.example/acme/",
    api: "As https://git.corp.example/api/v1",
    secret: "At least 16 characters.",
    token: "With the scopes repository and issue, read and write. Runs get it as it is.",
  },
  gitlab: {
    label: "GitLab",
    pattern: "^https://gitlab\\.com/acme/",
    api: "Empty for gitlab.com, else as https://gitlab.corp.example/api/v4",
    secret: "The host's signing token, whsec_ and what follows, or a secret token of at least 16 characters.",
    token: "Of the project or group, with the scopes api and read_repository. Runs get it as it is.",
  },
};
export const KIND_NAMES = Object.keys(KINDS) as HostKind[];

/** The code hosts that are spoken to, each in its own words. Forgejo speaks as Gitea does. */
export const HOST_KINDS = ["github", "gitea", "gitlab"] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** As people are told of it. */
export const HOST_NAMES: Readonly<Record<HostKind, string>> = {
  github: "GitHub",
  gitea: "Gitea or Forgejo",
  gitlab: "GitLab",
};

/** What a kind of host cannot do or say, and what that means here: told where people look at an integration. */
export const HOST_LIMITS: Readonly<Record<HostKind, readonly string[]>> = {
  github: [],
  gitea: [
    "It has no apps: its token is handed to runs as it is, with all that its user may do.",
    "Only a token of an administrator of the repository is told who may write to it: with another one no request counts as approved.",
    "It has no limit of its own for calls: a proxy in front of it may have one.",
    "It does not tell of a review that was dismissed: that counts with the next delivery, or a refresh.",
  ],
  gitlab: [
    "It has no apps: its token is handed to runs as it is, with all that it may do.",
    "An approval names no commit: it counts for the head when it was given after the host had that head.",
    "It does not say which checks are required: all count, but those that may fail and those that wait for a person.",
    "A secret token, unlike a signing token, proves nothing of a delivery's content.",
    "A commit of a fork shows its status in the project, and not in the request's pipeline.",
  ],
};

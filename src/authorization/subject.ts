/** Who asks. A leaf file: authentication makes one, authorization reads it, rows store its id and kind. */

/** A person, or a service account, which belongs to one organization and needs no membership there (spec 5.1). */
export type Subject = { kind: "user"; id: string } | { kind: "service_account"; id: string; orgId: string };

/** A subject together with how it proved itself. */
export type Principal = Subject & { credential: Credential };

export type Credential =
  | { kind: "service_account_token"; tokenId: string; tokenName: string }
  | { kind: "session"; sessionId: string };

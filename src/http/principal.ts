/** Who asks. A leaf file: authentication makes one, authorization reads it, rows store its id and kind. */

/** A person, or a service account, which belongs to one organization and needs no membership there. */
export type Subject =
  | { kind: "user"; id: string }
  | {
      kind: "service_account";
      id: string;
      orgId: string;
      /** The token it acts with, whose own bounds count too; null where none is at hand, as for a stored actor. */
      tokenId: string | null;
    };

/** A subject together with how it proved itself. */
export type Principal = Subject & { credential: Credential };

export type Credential =
  | { kind: "service_account_token"; tokenId: string; tokenName: string }
  /**
   * Bound to one organization; requests that name another one are refused before any route sees them
   * (docs/rules/credentials.md#a-personal-token-is-bound).
   */
  | {
      kind: "personal_access_token";
      tokenId: string;
      tokenName: string;
      orgId: string;
      /** The word that finds the organization's sign-in; null when it has none. */
      orgLoginHandle: string | null;
    }
  | { kind: "session"; sessionId: string };

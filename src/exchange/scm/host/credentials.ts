/** How calls to a host are authorized, whatever an integration proves itself with. */

export type CloneCredentials = { username: string; password: string };

/** @throws HostError from each method that asks */
export type HostCredentials = {
  /** Value of the authorization header for API calls about `owner`'s repositories; null: anonymous. */
  authorization(owner: string): Promise<string | null>;
  /**
   * Another in place of one that the host refused; null when there is none to be had, or it was asked for in vain a
   * moment ago.
   */
  inPlaceOf(owner: string, refused: string | null): Promise<string | null>;
  /** The other one was refused as well: no more is asked for during a while. */
  wasInVain(owner: string): void;
  /** A token that git clones this one repository with; null for a public one. */
  clone(owner: string, name: string): Promise<CloneCredentials | null>;
  /** The same for every repository of the owner that the integration can read. */
  cloneOwned(owner: string): Promise<CloneCredentials | null>;
  /** Value of the header for what an app asks about itself; absent where the integration is none. */
  ofApp?(): Promise<string>;
};

/**
 * One token that never changes; undefined: calls are anonymous.
 * @param scheme as the host wants it in the header, and the name that git says with it
 */
export function fixedCredentials(
  token: string | undefined,
  { scheme = "token", username = "x-access-token" } = {},
): HostCredentials {
  const password = async () => (token === undefined ? null : { username, password: token });
  return {
    authorization: async () => (token === undefined ? null : `${scheme} ${token}`),
    inPlaceOf: async () => null,
    wasInVain() {},
    clone: password,
    cloneOwned: password,
  };
}

export function headerOf(token: string): string {
  return `token ${token}`;
}

/** The user's name is not looked at when the password is a token. */
export function passwordOf(token: string): CloneCredentials {
  return { username: "x-access-token", password: token };
}

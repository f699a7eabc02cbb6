/** Who can sign in at the local identity provider: two that are prepared, and anybody else by any name. Pure. */

const PREPARED: Record<string, { name: string; groups: readonly string[] }> = {
  ada: { name: "Ada (admin)", groups: ["everyone", "admins"] },
  dev: { name: "Dev (deployer)", groups: ["everyone", "developers"] },
};

/** What the prepared groups confer in the local organization: group to system role. */
export const GROUP_ROLES = { admins: "admin", developers: "deployer", everyone: "viewer" } as const;
/** Being in this group makes a member. */
export const MEMBERS_GROUP = "everyone";
export const PREPARED_NAMES = Object.keys(PREPARED);

/** A name that can be typed into the form. */
export function isPersonName(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,39}$/.test(text);
}

/** The claims of a person. The name is the subject too: there is nothing else that tells them apart. */
export function claimsOf(name: string): Record<string, unknown> & { sub: string } {
  const { name: display, groups } = Object.hasOwn(PREPARED, name)
    ? (PREPARED[name] as (typeof PREPARED)[string])
    : { name, groups: [MEMBERS_GROUP] };
  const email = `${name}@local.invalid`;
  return { sub: name, preferred_username: name, name: display, email, email_verified: true, groups: [...groups] };
}

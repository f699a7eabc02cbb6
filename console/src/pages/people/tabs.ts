/** The tabs of the page, and what somebody needs to see anything in them. */
type Tab = { label: string; needs: readonly [type: string, action: string] };

export const TABS = {
  members: { label: "Members", needs: ["member", "read"] },
  invitations: { label: "Invitations", needs: ["member", "read"] },
  roles: { label: "Roles", needs: ["role", "read"] },
  accounts: { label: "Service accounts", needs: ["service_account", "read"] },
  "sign-in": { label: "Sign-in", needs: ["identity_source", "read"] },
  domains: { label: "Domains", needs: ["identity_source", "manage"] },
} as const satisfies Record<string, Tab>;

export type TabName = keyof typeof TABS;

export function tabOf(text: string | undefined): TabName {
  return text !== undefined && Object.hasOwn(TABS, text) ? (text as TabName) : "members";
}

/** How a run is kept from the coordinator, from other runs and from its machine (docs/runners.md). */
const ISOLATIONS = ["bubblewrap", "user", "command", "none"] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/**
 * What an operator may ask for besides: the strongest wall that works here, or, for a laptop, even none. A person's
 * local folders are closed to the users of slots, so the wall `user` is not for a laptop.
 */
export const CHOICES = ["wall", "any", ...ISOLATIONS] as const;

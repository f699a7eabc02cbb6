/** What of a program's terminal sequences a log may have. */
export const ESCAPES = ["styles", "raw"] as const;
export type Escapes = (typeof ESCAPES)[number];

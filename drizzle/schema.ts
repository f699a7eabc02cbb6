/** Every table, noun by noun; the SQL files beside this one are what a database is made from, and a test compares the two. */
export * from "../src/deployments/schema.ts";
export * from "../src/events/schema.ts";
export * from "../src/localSources/schema.ts";
export * from "../src/members/schema.ts";
export * from "../src/orgs/schema.ts";
export * from "../src/outbox/schema.ts";
export * from "../src/rawCommands/schema.ts";
export * from "../src/roles/schema.ts";
export * from "../src/runners/schema.ts";
export * from "../src/runs/schema.ts";
export * from "../src/serviceAccounts/schema.ts";
export * from "../src/stacks/schema.ts";
export * from "../src/temporal/schema.ts";

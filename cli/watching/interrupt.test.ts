import { expect, test } from "vitest";
import { type Moment, type OnInterrupt, type Reaction, reactionTo } from "./interrupt.ts";

const table: [Moment, { interactive?: boolean; onInterrupt?: OnInterrupt; byPerson?: boolean }, Reaction][] = [
  ["nothing", { interactive: true }, "exit"],
  ["nothing", {}, "exit"],
  ["creating", { interactive: true }, "wait"],
  ["creating", { onInterrupt: "cancel" }, "wait"],
  ["watching", { interactive: true }, "ask"],
  ["watching", { interactive: true, onInterrupt: "leave" }, "leave"],
  ["watching", { interactive: true, onInterrupt: "cancel" }, "cancel"],
  ["watching", { interactive: true, byPerson: false }, "leave"],
  ["watching", { interactive: true, byPerson: false, onInterrupt: "cancel" }, "cancel"],
  ["watching", {}, "leave"],
  ["watching", { onInterrupt: "cancel" }, "cancel"],
  ["asking", { interactive: true }, "leave"],
  ["cancelling", { interactive: true }, "leave"],
  ["cancelling", { onInterrupt: "cancel" }, "leave"],
];

test.each(table)("%s, %o: %s", (moment, { interactive = false, onInterrupt, byPerson = true }, reaction) => {
  expect(reactionTo({ moment, interactive, onInterrupt, byPerson })).toBe(reaction);
});

import { expect, test } from "vitest";
import { type Moment, type OnInterrupt, type Reaction, reactionTo } from "./interrupt.ts";

type Given = {
  interactive?: boolean;
  onInterrupt?: OnInterrupt;
  byPerson?: boolean;
  wouldWait?: boolean;
  again?: boolean;
};

const signal = { byPerson: false };
const table: [Moment, Given, Reaction][] = [
  ["nothing", { interactive: true }, "exit"],
  ["nothing", {}, "exit"],
  ["creating", { interactive: true }, "wait"],
  ["creating", { onInterrupt: "cancel" }, "wait"],
  ["creating", { interactive: true, again: true }, "leave"],
  ["watching", { interactive: true }, "ask"],
  ["watching", { interactive: true, onInterrupt: "leave" }, "leave"],
  ["watching", { interactive: true, onInterrupt: "cancel" }, "cancel"],
  ["watching", { interactive: true, byPerson: false }, "leave"],
  ["watching", { interactive: true, byPerson: false, onInterrupt: "cancel" }, "cancel"],
  ["watching", {}, "leave"],
  ["watching", { onInterrupt: "cancel" }, "cancel"],
  ["watching", { interactive: true, wouldWait: true }, "ask"],
  ["watching", { ...signal, interactive: true, wouldWait: true }, "cancel"],
  ["watching", { ...signal, wouldWait: true }, "cancel"],
  ["watching", { ...signal, wouldWait: true, onInterrupt: "leave" }, "leave"],
  ["question", { ...signal, interactive: true, wouldWait: true }, "skip"],
  ["question", { ...signal, interactive: true }, "leave"],
  ["question", { ...signal, interactive: true, onInterrupt: "cancel" }, "skip"],
  ["question", { ...signal, interactive: true, wouldWait: true, onInterrupt: "leave" }, "leave"],
  ["asking", { ...signal, interactive: true, wouldWait: true }, "cancel"],
  ["asking", { ...signal, interactive: true }, "leave"],
  ["asking", { interactive: true }, "leave"],
  ["cancelling", { interactive: true }, "leave"],
  ["cancelling", { onInterrupt: "cancel" }, "leave"],
];

test.each(table)("%s, %o: %s", (moment, given, reaction) => {
  const { interactive = false, onInterrupt, byPerson = true, wouldWait = false, again = false } = given;
  expect(reactionTo({ moment, interactive, onInterrupt, byPerson, wouldWait, again })).toBe(reaction);
});

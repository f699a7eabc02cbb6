import { expect, test } from "vitest";
import { changedPaths } from "./changedPaths.ts";
import type { Change } from "./planDocument.ts";
import { parsePlanDocument } from "./planDocument.ts";

const paths = (change: Partial<Change>, mask = (text: string) => text) =>
  changedPaths({ actions: ["update"], ...change } as Change, mask);

test("what forces a replacement is told with the names and places that the engine points at", () => {
  const text =
    '{"format_version":"1.0","resource_changes":[{"address":"a.b","change":{"actions":["delete","create"],"before":{},"after":{},"replace_paths":[["subnets",0],["name"],[{"odd":1}]]}}]}';
  const change = parsePlanDocument(text)?.resource_changes[0]?.change as Change;
  expect(paths(change)).toEqual({ replace_paths: [["subnets", 0], ["name"]] });
  expect(paths({ ...change, replace_paths: Array.from({ length: 200 }, () => ["x"]) }).replace_paths).toHaveLength(100);
});

test("of sensitive values those are told that become others, and what is known later may", () => {
  const marks = { login: { password: true, user: true, token: true }, list: [false, true] };
  const change = {
    before: { login: { password: "a", user: "same", token: "t" }, list: ["x", 1], plain: 1 },
    after: { login: { password: "b", user: "same" }, list: ["y", 2], plain: 2 },
    after_unknown: { login: { token: true } },
    before_sensitive: marks,
    after_sensitive: marks,
  };
  expect(paths(change)).toEqual({
    hidden_changes: [
      ["login", "password"],
      ["login", "token"],
      ["list", 1],
    ],
  });
});

test("what comes into being or goes has no other side, and names are masked as they are elsewhere", () => {
  expect(paths({ before: null, after: { a: "s" }, after_sensitive: { a: true } })).toEqual({});
  const marks = { hunter2: true };
  const change = { before: { hunter2: 1 }, after: { hunter2: 2 }, before_sensitive: marks, after_sensitive: marks };
  expect(paths(change, (text) => text.replace("hunter2", "***"))).toEqual({ hidden_changes: [["***"]] });
});

test("a sensitive number that differs in its last digit only is another one", () => {
  const text = (digits: string) =>
    `{"format_version":"1.0","output_changes":{"n":{"actions":["update"],"before":${digits}1,"after":${digits}2,"before_sensitive":true,"after_sensitive":true}}}`;
  const change = parsePlanDocument(text("922337203685477326"))?.output_changes.n as Change;
  expect(paths(change)).toEqual({ hidden_changes: [[]] });
});

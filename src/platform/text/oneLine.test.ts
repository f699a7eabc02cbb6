import { expect, it } from "vitest";
import { oneLine } from "./oneLine.ts";

it.each([
  ["blanks of any kind are one", "a \n\t\u2028\u00a0b", "a b"],
  ["also round what is not seen", "a \u200b\u2060 b", "a b"],
  ["control characters are blanks", "a\u0000\u001b[31mb\u0085", "a [31mb"],
  ["nothing turns text round", "a\u202eb\u2066c\u061cd\u200fe", "abcde"],
  ["fillers and joiners are gone", "p\u034fr\u115fo\u3164d\uffa0\u200c\u200d\u2800", "prod"],
  ["selectors and tags are gone", "x\ufe0f\u{e0041}\u{e0100}\u180by", "xy"],
  ["and marks of annotations", "a\ufff9b\ufffac\ufffb", "abc"],
  ["a half of a pair is a mark", "a\ud800", "a\ufffd"],
  [
    "what others write is kept",
    "Gr\u00fc\u00dfe \u4f60\u597d \u0645\u0631\u062d\u0628\u0627 \u{1f680}",
    "Gr\u00fc\u00dfe \u4f60\u597d \u0645\u0631\u062d\u0628\u0627 \u{1f680}",
  ],
])("%s", (_, text, line) => expect(oneLine(text)).toBe(line));

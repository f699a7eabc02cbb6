/** Texts of others stay texts in every form, whatever each would read as a link, a mention, a format or a header. */
import { AdaptiveCard } from "adaptivecards";
import { describe, expect, it } from "vitest";
import type { Message } from "../message.ts";
import { SAMPLE } from "../message.ts";
import { mailMessage } from "./mailMessage.ts";
import { slackMessage } from "./slackMessage.ts";
import { teamsMessage } from "./teamsMessage.ts";

const HOSTILE = `<!channel> <https://evil.example|ok> @here *b* _i_ ~s~ \`c\` [x](https://evil.example) <at>all</at> & <script>"'`;
const LINK = "https://deploy.example/orgs/o/stacks/net/deployments/d";
const message = (changes: Partial<Message> = {}): Message => ({
  ...{ tone: "look", title: "Plan waits for confirmation", stack: "Net", link: LINK },
  facts: [
    { name: "Plan", text: "2 to add, 2 to change, 4 to destroy" },
    { name: "Commit", code: "01234567", text: "Widen the network" },
  ],
  ...{ reason: "no state", by: "ada" },
  ...changes,
});
const hostile = message({
  ...{ stack: HOSTILE, reason: HOSTILE, by: HOSTILE },
  facts: [{ name: "Commit", code: HOSTILE, text: HOSTILE }],
});

/** Whatever stands in the value under these names, in order. */
function found(value: unknown, name: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && typeof inner === "string" ? [inner] : found(inner, name),
  );
}

describe("slackMessage", () => {
  it("lays out title, link, numbers, reason and who", () => {
    const { text, blocks } = slackMessage(message());
    expect(found(blocks, "text").join("")).toBe(
      "● Plan waits for confirmation: Net\nPlan 2 to add, 2 to change, 4 to destroy\nCommit 01234567 Widen the network\nReason no state\nby ada",
    );
    expect(found(blocks, "url")).toEqual([LINK]);
    expect(text).toContain(`*Plan waits for confirmation*: <${LINK}|Net>`);
  });

  it("reads no text of others as markup: they are literal in the blocks and escaped in the notice", () => {
    const { text, blocks } = slackMessage(hostile);
    expect(new Set(found(blocks, "type"))).toEqual(new Set(["rich_text", "rich_text_section", "text", "link"]));
    expect(found(blocks, "url")).toEqual([LINK]);
    expect(found(blocks, "text").join("")).toContain(HOSTILE);
    // Nothing but our own link opens a bracket.
    expect(text.match(/<[^>]*>/g)).toEqual([`<${LINK}|${text.split("|")[1]?.split(">")[0]}>`]);
    expect(text).not.toMatch(/<!|<https:\/\/evil|@here/);
  });
});

describe("teamsMessage", () => {
  const cardOf = (of: Message) => teamsMessage(of).attachments[0]!.content;

  it("lays out title, numbers, reason, who, and a button that leads there", () => {
    const card = cardOf(message());
    expect(card.body.map((block) => found(block, "text").join(""))).toEqual([
      "Plan waits for confirmation: Net",
      "Plan 2 to add, 2 to change, 4 to destroy",
      "Commit 01234567 Widen the network",
      "Reason no state",
      "by ada",
    ]);
    expect(card.actions).toEqual([{ type: "Action.OpenUrl", title: "Open", url: LINK }]);
  });

  it("puts texts of others into runs alone, in which no markdown is read", () => {
    const card = cardOf(hostile);
    expect(found(card.body, "text").filter((text) => text.includes("evil"))).toHaveLength(5);
    expect(new Set(found(card.body, "type"))).toEqual(new Set(["RichTextBlock", "TextRun"]));
    expect(card.fallbackText).not.toContain("evil");
  });

  it.each([
    ["a message", message()],
    ["a sample", SAMPLE],
    ["hostile texts", hostile],
  ])("is a card that Microsoft's own library reads without a complaint: %s", (_, of) => {
    const card = new AdaptiveCard();
    card.parse(JSON.parse(JSON.stringify(cardOf(of))));
    expect(card.validateProperties().validationEvents).toEqual([]);
    expect(card.getItemCount()).toBe(cardOf(of).body.length);
    expect(JSON.stringify(teamsMessage(of)).length).toBeLessThan(28_000);
  });
});

describe("mailMessage", () => {
  it("has a subject, and the same in text and HTML", () => {
    const { subject, text, html } = mailMessage(message());
    expect(subject).toBe("Plan waits for confirmation: Net");
    expect(text).toBe(
      `Plan waits for confirmation: Net\n\nPlan: 2 to add, 2 to change, 4 to destroy\nCommit: 01234567 Widen the network\nReason: no state\nBy: ada\n\n${LINK}\n`,
    );
    for (const part of ["2 to add, 2 to change", "Widen the network", "no state", `<a href="${LINK}">`]) {
      expect(html).toContain(part);
    }
  });

  it("shows texts of others in HTML as they stand", () => {
    const { html, subject } = mailMessage(hostile);
    expect(html.match(/<[a-z!/][^>]*>/gi)?.filter((tag) => /script|at>|https:\/\/evil/.test(tag))).toEqual([]);
    expect(html).toContain("&lt;script&gt;&quot;&#39;");
    expect(subject.length).toBeLessThanOrEqual(150);
  });
});

it("a subject is no encoded word, which mail programs would read as what it stands for", () => {
  const { subject } = mailMessage(message({ stack: "=?utf-8?Q?=E2=80=AE?=" }));
  expect(subject).toBe("Plan waits for confirmation: = ?utf-8?Q?=E2=80=AE?=");
});

import { describe, expect, it } from "vitest";
import { HostError } from "./errors.ts";
import { approvalOf, type MayWrite, wordsOf } from "./reviews.ts";

const HEAD = "a".repeat(40);
const OLDER = "b".repeat(40);
const AUTHOR = 1;
/** People from 10 on are strangers. */
const writers: MayWrite = async ({ id }) => id < 10;

type State = "APPROVED" | "CHANGES_REQUESTED" | "DISMISSED" | "COMMENTED" | "PENDING";
const review = (id: number, state: State, commit_id = HEAD) => ({ state, commit_id, user: { id, login: `u${id}` } });
const approval = (reviews: readonly unknown[], mayWrite = writers) =>
  approvalOf(wordsOf(reviews, { headSha: HEAD, authorId: AUTHOR }), mayWrite);

it("is given by a person with write access, of the present head", async () => {
  expect(await approval([review(2, "APPROVED")])).toEqual({ approved: true, reason: null });
});

describe("does not come from", () => {
  it.each([
    ["nobody", [], "nobody has approved it"],
    ["a comment", [review(2, "COMMENTED"), review(3, "PENDING")], "nobody has approved it"],
    ["a stranger", [review(10, "APPROVED")], "1 review by a person without write access"],
    ["strangers", [review(10, "APPROVED"), review(11, "APPROVED")], "2 reviews by people without write access"],
    ["an older head", [review(2, "APPROVED", OLDER)], "1 review of an older head"],
    ["its author", [review(AUTHOR, "APPROVED")], "a review by its own author"],
    [
      "all of them",
      [review(10, "APPROVED"), review(2, "APPROVED", OLDER), review(3, "APPROVED", OLDER), review(AUTHOR, "APPROVED")],
      "1 review by a person without write access, 2 reviews of an older head, a review by its own author",
    ],
    ["an account that is gone", [{ state: "APPROVED", commit_id: HEAD, user: null }], "nobody has approved it"],
  ])("%s", async (_, reviews, reason) => {
    expect(await approval(reviews)).toEqual({ approved: false, reason });
  });
});

describe("the newest decisive review of each person counts", () => {
  const OBJECTION = "a person with write access asks for changes";

  it.each([
    ["taken back by an objection", [review(2, "APPROVED"), review(2, "CHANGES_REQUESTED")], false, OBJECTION],
    ["taken back by a dismissal", [review(2, "APPROVED"), review(2, "DISMISSED")], false, "nobody has approved it"],
    ["not taken back by a comment", [review(2, "APPROVED"), review(2, "COMMENTED")], true, null],
    ["an objection that became an approval", [review(2, "CHANGES_REQUESTED"), review(2, "APPROVED")], true, null],
    [
      "an objection that was dismissed",
      [review(2, "CHANGES_REQUESTED"), review(2, "DISMISSED"), review(3, "APPROVED")],
      true,
      null,
    ],
    ["an objection beside an approval", [review(2, "APPROVED"), review(3, "CHANGES_REQUESTED")], false, OBJECTION],
    ["an objection to an older head", [review(3, "CHANGES_REQUESTED", OLDER), review(2, "APPROVED")], false, OBJECTION],
    ["a stranger's objection", [review(2, "APPROVED"), review(10, "CHANGES_REQUESTED")], true, null],
  ])("%s", async (_, reviews, approved, reason) => {
    expect(await approval(reviews)).toEqual({ approved, reason });
  });
});

describe("what the host does not say is no approval", () => {
  it.each(["refused", "hidden", "nonsense", "rate_limited", "unavailable"] as const)("%s", async (failure) => {
    const error = new HostError(failure, 403);
    const answer = await approval([review(2, "APPROVED")], () => Promise.reject(error));
    const later = failure === "rate_limited" || failure === "unavailable";
    expect(answer).toEqual({
      approved: null,
      reason: `whether its reviewers have write access is not known: ${error.reason}`,
      ...(later && { failure: error }),
    });
  });

  it("also of one person among several who do not object", async () => {
    const fails: MayWrite = async ({ id }) => {
      if (id === 3) throw new HostError("refused", 403);
      return true;
    };
    expect(await approval([review(2, "APPROVED"), review(3, "CHANGES_REQUESTED")], fails)).toMatchObject({
      approved: null,
    });
  });
});

it("asks about thirty people at most, and about those first whom the host calls its own", async () => {
  const asked: number[] = [];
  const counting: MayWrite = async ({ id }) => asked.push(id) > 0 && id < 10;
  const crowd = Array.from({ length: 100 }, (_, i) => review(10 + i, "APPROVED"));
  expect(await approval(crowd, counting)).toEqual({ approved: null, reason: "more than 30 people have reviewed it" });
  expect(asked).toHaveLength(30);
  asked.length = 0;
  const own = { ...review(2, "APPROVED"), author_association: "MEMBER" };
  expect(await approval([...crowd, own], counting)).toEqual({ approved: true, reason: null });
  expect(asked).toEqual([2]);
});

describe("a crowd", () => {
  const crowd = (state: State) => Array.from({ length: 100 }, (_, i) => review(10 + i, state));
  const listed =
    (...ids: number[]) =>
    async () =>
      new Set(ids);
  const judge = (reviews: readonly unknown[], list?: () => Promise<ReadonlySet<number> | null>) =>
    approvalOf(wordsOf(reviews, { headSha: HEAD, authorId: AUTHOR }), writers, list);

  it("of strangers who object keeps nobody's approval from counting", async () => {
    const reviews = [...crowd("CHANGES_REQUESTED"), review(2, "APPROVED")];
    expect(await judge(reviews, listed(2, 3))).toEqual({ approved: true, reason: null });
    expect(await judge(reviews)).toEqual({ approved: null, reason: "more than 30 people have reviewed it" });
  });

  it("hides no objection of a writer, and no approval", async () => {
    const objecting = [...crowd("CHANGES_REQUESTED"), review(3, "CHANGES_REQUESTED"), review(2, "APPROVED")];
    expect(await judge(objecting, listed(2, 3))).toMatchObject({ approved: false });
    expect(await judge([...crowd("APPROVED"), review(2, "APPROVED")], listed(2))).toMatchObject({ approved: true });
  });

  it("of strangers who approve approves nothing, also where the list has some who may not write", async () => {
    expect(await judge(crowd("APPROVED"), listed(2, 60, 61))).toEqual({
      approved: false,
      reason: "100 reviews by people without write access",
    });
  });
});

import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";

const FIELDS = { id: Id, org_id: Id, name: v.string(), expires_at: Time, created_at: Time };

/** A personal token as its owner sees it. */
const PersonalTokenAnswer = v.pipe(v.object(FIELDS), v.metadata({ ref: "PersonalToken" }));
export const PersonalTokenPage = pageOf(PersonalTokenAnswer);
/** The one answer that holds the token itself. */
export const CreatedPersonalToken = v.pipe(
  v.object({ ...FIELDS, token: v.string() }),
  v.metadata({ ref: "CreatedPersonalToken" }),
);

export type PersonalToken = v.InferInput<typeof PersonalTokenAnswer>;
export type MintedPersonalToken = v.InferInput<typeof CreatedPersonalToken>;

/**
 * People as super-admins see them: who they are and how they sign in, and nothing that could be used to act as them.
 */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";

const FIELDS = {
  id: v.string(),
  login: v.string(),
  display_name: v.nullable(v.string()),
  provider_key: v.pipe(v.string(), v.metadata({ description: "Of the identity that the id is named after" })),
  is_super_admin: v.boolean(),
  disabled_at: v.nullable(Time),
  last_login_at: v.pipe(v.nullable(Time), v.metadata({ description: "The last sign-in with any identity" })),
  created_at: Time,
};
export const User = v.pipe(v.object(FIELDS), v.metadata({ ref: "User" }));
export const UserPage = v.pipe(pageOf(User), v.metadata({ ref: "UserPage" }));

const Identity = v.object({
  id: Id,
  provider_key: v.string(),
  issuer: v.string(),
  subject: v.string(),
  login: v.nullable(v.string()),
  last_login_at: v.nullable(Time),
  created_at: Time,
});
export const UserDetail = v.pipe(
  v.object({
    ...FIELDS,
    identities: v.array(Identity),
    sessions: v.pipe(v.number(), v.metadata({ description: "How many have not expired" })),
    personal_tokens: v.pipe(v.number(), v.metadata({ description: "How many have not expired" })),
    minted_tokens: v.pipe(
      v.number(),
      v.metadata({ description: "Service account tokens traced to the person that have not expired" }),
    ),
  }),
  v.metadata({ ref: "UserDetail" }),
);

export type User = v.InferInput<typeof User>;
export type UserDetail = v.InferInput<typeof UserDetail>;

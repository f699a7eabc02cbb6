/** Members and invitations as people see them. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { RoleName } from "../roles/answer.ts";

export const Member = v.pipe(
  v.object({
    user_id: v.string(),
    login: v.string(),
    display_name: v.nullable(v.string()),
    source: v.string(),
    expires_at: v.pipe(v.nullable(Time), v.metadata({ description: "Null for a membership without end" })),
    disabled_at: v.pipe(
      v.nullable(Time),
      v.metadata({ description: "Set when a super-admin has disabled the person" }),
    ),
    roles: v.pipe(v.array(RoleName), v.metadata({ description: "Direct assignments; sign-in may confer more" })),
    created_at: Time,
  }),
  v.metadata({ ref: "Member" }),
);
export const MemberPage = v.pipe(pageOf(Member), v.metadata({ ref: "MemberPage" }));

export const Invitation = v.pipe(
  v.object({
    id: Id,
    provider_key: v.string(),
    login: v.string(),
    roles: v.array(RoleName),
    invited_by: v.nullable(v.string()),
    expires_at: Time,
    created_at: Time,
  }),
  v.metadata({ ref: "Invitation" }),
);
export const InvitationPage = v.pipe(pageOf(Invitation), v.metadata({ ref: "InvitationPage" }));

export type Member = v.InferInput<typeof Member>;
export type Invitation = v.InferInput<typeof Invitation>;

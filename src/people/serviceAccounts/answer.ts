/** Service accounts and their tokens as people see them; a token's value is in the answer that created it only. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";

export const ServiceAccount = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    disabled_at: v.nullable(Time),
    roles: v.array(v.object({ id: Id, name: v.string(), is_system: v.boolean() })),
    created_at: Time,
  }),
  v.metadata({ ref: "ServiceAccount" }),
);
export const ServiceAccountPage = v.pipe(pageOf(ServiceAccount), v.metadata({ ref: "ServiceAccountPage" }));

const token = {
  id: Id,
  service_account_id: Id,
  name: v.string(),
  created_by: v.nullable(v.string()),
  minter_left_at: v.pipe(
    v.nullable(Time),
    v.metadata({ description: "Since when who minted it is no member any more; 30 days later it opens nothing" }),
  ),
  expires_at: Time,
  created_at: Time,
};
export const ServiceAccountToken = v.pipe(v.object(token), v.metadata({ ref: "ServiceAccountToken" }));
export const ServiceAccountTokenPage = v.pipe(
  pageOf(ServiceAccountToken),
  v.metadata({ ref: "ServiceAccountTokenPage" }),
);
export const CreatedToken = v.pipe(
  v.object({
    ...token,
    token: v.pipe(v.string(), v.metadata({ description: "Shown in this answer and never again" })),
  }),
  v.metadata({ ref: "CreatedServiceAccountToken" }),
);

export type ServiceAccount = v.InferInput<typeof ServiceAccount>;
export type ServiceAccountToken = v.InferInput<typeof ServiceAccountToken>;

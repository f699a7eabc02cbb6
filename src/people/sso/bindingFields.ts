/** What the groups of an identity source confer: what is asked and answered. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { hasControlCharacters } from "../../http/textFields.ts";
import { ROLES_PER_BINDING } from "../authorization/grants.ts";
import { RoleName } from "../roles/answer.ts";

/** Body of POST and PUT. */
export const BindingBody = v.strictObject({
  group_key: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(500),
    v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
  ),
  role_ids: v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.minLength(1), v.maxLength(ROLES_PER_BINDING)),
});
export type BindingInput = v.InferOutput<typeof BindingBody>;

export const Binding = v.pipe(
  v.object({ id: Id, group_key: v.string(), roles: v.array(RoleName), created_at: Time }),
  v.metadata({ ref: "GroupRoleBinding" }),
);
export const BindingPage = v.pipe(pageOf(Binding), v.metadata({ ref: "GroupRoleBindingPage" }));
export type Binding = v.InferInput<typeof Binding>;

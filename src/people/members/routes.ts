import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { DurationField } from "../../platform/time/durations.ts";
import type { Service } from "../../work/service.ts";
import { Invitation, InvitationPage, Member, MemberPage } from "./answer.ts";
import {
  changeInvitation,
  DEFAULT_LIFETIME,
  deleteInvitation,
  INVITATION_LIST,
  invite,
  listInvitations,
  MAX_LIFETIME_MS,
  readInvitation,
} from "./invitations.ts";
import { addMember, listMembers, MEMBER_LIST, revokeMember } from "./members.ts";
import { offerRoutes } from "./offerRoutes.ts";

const AddMemberBody = v.strictObject({ user_id: v.pipe(v.string(), v.minLength(1), v.maxLength(1_000)) });
const terms = {
  role_ids: v.optional(v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.maxLength(20)), []),
  lifetime: v.optional(v.pipe(DurationField, v.maxValue(MAX_LIFETIME_MS, "must be at most P90D")), DEFAULT_LIFETIME),
};
const InviteBody = v.strictObject({
  provider_key: v.picklist(["codehost", "workspace", "oidc"]),
  login: displayName(320),
  ...terms,
});
const RevokeQuery = v.strictObject({ service_account_tokens: v.optional(v.picklist(["end", "keep"]), "end") });
const ChangeInvitationBody = v.strictObject(terms);

const MEMBERS = "/api/v1/orgs/:org_id/members";
const MEMBER = "/api/v1/orgs/:org_id/members/:user_id";
const INVITATIONS = "/api/v1/orgs/:org_id/invitations";
const INVITATION = "/api/v1/orgs/:org_id/invitations/:invitation_id";
const tag = "members";

/** The routes of members and invitations. */
export function memberRoutes(app: Hono<AppEnv>, service: Service, metrics: Pick<Metrics, "seatDenials">): void {
  endpoint(
    app,
    "get",
    MEMBERS,
    {
      id: "listMembers",
      tag,
      summary: "List the members",
      query: v.strictObject({
        ...listFields(Object.keys(MEMBER_LIST.fields)),
        search: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
      }),
      answer: MemberPage,
      problems: [403],
    },
    async ({ principal, params, query }) => listMembers(service.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    MEMBERS,
    {
      id: "addMember",
      tag,
      summary: "Make somebody who has signed in before a member",
      description:
        "Somebody who is in no other organization where the caller may add members is asked first; a super-admin adds at once. 409 seat_limit when all seats are taken. Adding a member again changes nothing.",
      orNothing: "The person is asked, and becomes a member by accepting",
      body: AddMemberBody,
      answer: Member,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body, c }) =>
      (await addMember(service, metrics, principal, params.org_id, (await body()).user_id)) ?? c.body(null, 204),
  );
  endpoint(
    app,
    "delete",
    MEMBER,
    {
      id: "revokeMember",
      tag,
      summary: "Revoke a membership with the person's tokens, roles and invitations here",
      description:
        "Tokens of service accounts that they minted end too. With `service_account_tokens=keep` they go on in the name of the caller, who needs (service_account, update) as well.",
      query: RevokeQuery,
      problems: [403, 404, 409],
    },
    async ({ principal, params, query }) =>
      revokeMember(service, principal, params.org_id, params.user_id, query().service_account_tokens),
  );
  invitationRoutes(app, service);
  offerRoutes(app, service, metrics);
}

function invitationRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    INVITATIONS,
    {
      id: "listInvitations",
      tag,
      summary: "List the invitations that wait",
      query: v.strictObject(listFields(Object.keys(INVITATION_LIST.fields))),
      answer: InvitationPage,
      problems: [403],
    },
    async ({ principal, params, query }) => listInvitations(service.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    INVITATIONS,
    {
      id: "inviteMember",
      tag,
      summary: "Pre-approve somebody by the login or e-mail they will sign in with",
      description: "Roles can be given only by who may assign roles and holds all they confer.",
      body: InviteBody,
      answer: Invitation,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => invite(service, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "get",
    INVITATION,
    { id: "getInvitation", tag, summary: "Read an invitation", answer: Invitation, problems: [403, 404] },
    async ({ principal, params }) => readInvitation(service.db, principal, params.org_id, params.invitation_id),
  );
  endpoint(
    app,
    "put",
    INVITATION,
    {
      id: "replaceInvitation",
      tag,
      summary: "Replace an invitation's roles and its end, counted from now",
      body: ChangeInvitationBody,
      answer: Invitation,
      problems: [403, 404],
    },
    async ({ principal, params, body }) =>
      changeInvitation(service, principal, params.org_id, params.invitation_id, await body()),
  );
  endpoint(
    app,
    "delete",
    INVITATION,
    { id: "deleteInvitation", tag, summary: "Take an invitation back", problems: [403, 404] },
    async ({ principal, params }) => deleteInvitation(service, principal, params.org_id, params.invitation_id),
  );
}

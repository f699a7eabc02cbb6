import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Db } from "../../platform/db/client.ts";
import { DomainName, RuleName } from "./accessRuleFields.ts";
import {
  checkProof,
  createProof,
  deleteProof,
  listProofs,
  PROOF_LIST,
  Proof,
  ProofPage,
  type Witnesses,
} from "./proofs.ts";

const PROOFS = "/api/v1/orgs/:org_id/proofs";
const PROOF = "/api/v1/orgs/:org_id/proofs/:proof_id";
const tag = "identity sources";

const ProofBody = v.variant("kind", [
  v.strictObject({ kind: v.literal("domain"), name: DomainName }),
  v.strictObject({ kind: v.literal("codehost_org"), name: RuleName }),
]);

/** What an organization shows to be its own, so that its access rules admit and not only invite. */
export function proofRoutes(app: Hono<AppEnv>, { db, ...witnesses }: { db: Db } & Witnesses): void {
  endpoint(
    app,
    "get",
    PROOFS,
    {
      id: "listProofs",
      tag,
      summary: "List the domains and organizations of the code host that are proven, or wait for it",
      query: v.strictObject(listFields(Object.keys(PROOF_LIST.fields))),
      answer: ProofPage,
      problems: [403],
    },
    async ({ principal, params, query }) => listProofs(db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    PROOFS,
    {
      id: "createProof",
      tag,
      summary: "Name a domain, or an organization of the code host, that is yours",
      description:
        "A domain is proven by the TXT record of the answer and `checkProof`, an organization of the code host by `checkProof` " +
        "where an integration has its own app, either by the operator's approval.",
      body: ProofBody,
      answer: Proof,
      status: 201,
      problems: [403, 409],
    },
    async ({ principal, params, body }) => createProof(db, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "post",
    `${PROOF}/check`,
    {
      id: "checkProof",
      tag,
      summary: "Look for the TXT record, or for the installed app, now",
      description: "409 while it is not there.",
      answer: Proof,
      problems: [403, 404, 409],
    },
    async ({ principal, params }) => checkProof(db, witnesses, principal, params.org_id, params.proof_id),
  );
  endpoint(
    app,
    "delete",
    PROOF,
    { id: "deleteProof", tag, summary: "Take a proof back; its rules invite from then on", problems: [403, 404] },
    async ({ principal, params }) => deleteProof(db, principal, params.org_id, params.proof_id),
  );
}

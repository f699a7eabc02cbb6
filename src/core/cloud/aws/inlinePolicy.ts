/** An inline session policy: an IAM policy document that can only narrow the role it is passed along with. */

import { isRecord } from "../../../platform/json/isRecord.ts";
import { parseLossless } from "../../../platform/json/losslessJson.ts";

const MAX_POLICY_CHARS = 2_048;
/** What IAM takes in a policy. */
const CHARACTERS = /^[\t\n\r\x20-\xff]*$/;

/** The document minified, or what is wrong with it as a message for the field. */
export function minifiedPolicy(text: string): { policy: string } | { wrong: string } {
  let document: unknown;
  try {
    document = parseLossless(text);
  } catch {
    return { wrong: "is not JSON" };
  }
  if (!isRecord(document)) return { wrong: "must be a JSON object" };
  const statements = Array.isArray(document.Statement) ? document.Statement : [document.Statement];
  if (document.Statement === undefined || statements.length === 0) return { wrong: "must have a non-empty Statement" };
  for (const statement of statements) {
    const wrong = statementProblem(statement);
    if (wrong !== null) return { wrong };
  }
  const policy = JSON.stringify(document);
  if (!CHARACTERS.test(policy)) return { wrong: "has characters that a policy may not have" };
  if (policy.length > MAX_POLICY_CHARS)
    return { wrong: `may have at most ${MAX_POLICY_CHARS} characters when minified` };
  return { policy };
}

function statementProblem(statement: unknown): string | null {
  if (!isRecord(statement)) return "must have objects in its Statement";
  if (statement.Effect !== "Allow" && statement.Effect !== "Deny") {
    return "must have the Effect Allow or Deny in every statement";
  }
  const lists = [statement.Action, statement.NotAction].filter((actions) => actions !== undefined);
  if (lists.length === 0 || !lists.every(isActions)) return "must have an Action or NotAction in every statement";
  return null;
}

function isActions(value: unknown): boolean {
  const actions = Array.isArray(value) ? value : [value];
  return actions.length > 0 && actions.every((action) => typeof action === "string" && action !== "");
}

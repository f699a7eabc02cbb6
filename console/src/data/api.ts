/**
 * The service, called with this browser's session. A session that ended in the middle of something is waited for: the
 * call is sent again as it was, with the same `Idempotency-Key`, once the person has signed in again.
 */
import { answerOf, apiClient, isWrite } from "../../../clients/api/client.ts";
import { ApiError } from "../../../clients/api/problem.ts";
import { BASE_URL } from "./base.ts";
import { type Me, session } from "./session.ts";

export const api = apiClient({ baseUrl: BASE_URL, fetch: sendBySession });

/** Without waiting for a session: this is how a page finds out whether there is one. */
const bare = apiClient({ baseUrl: BASE_URL });

async function sendBySession(request: Request): Promise<Response> {
  const answer = await sendWithProof(request.clone());
  if (answer.status === 401 && session.state.kind !== "unknown" && session.state.kind !== "none") {
    await session.renewed();
    return sendBySession(request);
  }
  // Signed in anew in another tab: the proof of before is of another session.
  if (answer.status === 403 && isWrite(request) && (await codeOf(answer)) === "csrf_refused") {
    if (await session.look()) return sendWithProof(request);
  }
  return answer;
}

function sendWithProof(request: Request): Promise<Response> {
  if (isWrite(request) && session.csrf !== undefined) request.headers.set("x-csrf-token", session.csrf);
  return fetch(request);
}

async function codeOf(answer: Response): Promise<string | undefined> {
  return (
    (await answer
      .clone()
      .json()
      .catch(() => null)) as { code?: string } | null
  )?.code;
}

/** Who is signed in; null for nobody. */
export async function whoAmI(): Promise<Me | null> {
  try {
    return await answerOf(bare.GET("/api/v1/auth/me"));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

session.ask = whoAmI;

/** An older service has fewer calls: then the missing one is named, since "not found" would send people searching. */
import type { Middleware } from "openapi-fetch";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import type { Fetch } from "./persistentFetch.ts";

type Document = { paths?: Record<string, Record<string, unknown>> };

/** Goes on only where the service knows the call, or nobody can say. */
export function missingCall(baseUrl: string, fetch: Fetch): Middleware {
  let known: Promise<Document | null> | undefined;
  return {
    async onResponse({ schemaPath, request, response }) {
      if (response.status !== 404 && response.status !== 405) return undefined;
      known ??= readDocument(baseUrl, fetch);
      const paths = (await known)?.paths;
      const method = request.method.toLowerCase();
      if (paths === undefined || paths[schemaPath]?.[method] !== undefined) return undefined;
      throw new CallMissing(`${request.method} ${schemaPath}`);
    },
  };
}

class CallMissing extends Failure {
  constructor(call: string) {
    super(EXIT.failed, `This service does not have the call that this needs: ${call}. It is older than this program.`);
  }
}

async function readDocument(baseUrl: string, fetch: Fetch): Promise<Document | null> {
  try {
    const answer = await fetch(new Request(`${baseUrl}/openapi.json`));
    return answer.ok ? ((await answer.json()) as Document) : null;
  } catch {
    return null;
  }
}

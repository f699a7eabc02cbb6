/** The operations of the published document, as tests walk them. */
import { readFile } from "node:fs/promises";

export type DocumentedOperation = {
  id: string;
  method: string;
  path: string;
  /** Which credential it takes; null for those that anyone may call. */
  caller: "person" | "group" | "runner" | "engine" | null;
  parameters: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
};

type Raw = Omit<DocumentedOperation, "id" | "method" | "path" | "caller" | "parameters"> & {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: DocumentedOperation["parameters"];
};

export async function documentedOperations(): Promise<DocumentedOperation[]> {
  const document = JSON.parse(await readFile(new URL("../../docs/openapi.json", import.meta.url), "utf8"));
  return Object.entries(document.paths as Record<string, Record<string, Raw>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters = [], ...rest }]) => ({
      ...rest,
      id: operationId,
      method: method.toUpperCase(),
      path,
      caller: callerOf(security),
      parameters,
    })),
  );
}

function callerOf(security: Record<string, unknown>[] | undefined): DocumentedOperation["caller"] {
  if (security === undefined) return "person";
  const [scheme] = security.flatMap(Object.keys);
  return scheme === "group" || scheme === "runner" || scheme === "engine" ? scheme : null;
}

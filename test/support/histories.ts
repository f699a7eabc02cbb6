/** Reading a workflow's history: what it cost and what an operator sees. */
import { createRequire } from "node:module";
import type { Client } from "@temporalio/client";
import type { temporal as api } from "@temporalio/proto";
import protobuf from "@temporalio/proto";

type History = api.api.history.v1.IHistory;
type ProtoJson = {
  toJson(type: unknown, message: unknown): unknown;
  fromJson(type: unknown, json: unknown, options: object): History;
};

/**
 * The SDK's own `historyToJSON` refuses its types when npm has given its packages a copy each of protobufjs, so the
 * copy that belongs to the types is asked.
 */
const ofProto = createRequire(createRequire(import.meta.url).resolve("@temporalio/proto"));
const protoJson = ofProto("protobufjs/ext/protojson") as ProtoJson;
const { patchProtobufRoot } = ofProto("@temporalio/proto/lib/patch-protobuf-root") as {
  patchProtobufRoot(root: unknown): { lookupType(name: string): unknown };
};
const historyType = patchProtobufRoot(ofProto("@temporalio/proto")).lookupType("temporal.api.history.v1.History");

/** A history in the JSON that Temporal's own tools write. */
export function historyToJson(history: History): unknown {
  return protoJson.toJson(historyType, protobuf.temporal.api.history.v1.History.fromObject(history));
}

export function historyFromJson(json: unknown): History {
  return protoJson.fromJson(historyType, json, { ignoreUnknownFields: true });
}

export type HistoryFigures = { events: number; tasks: number };

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = protobuf.temporal.api.enums.v1.EventType;

export async function historyFigures(client: Client, workflowId: string): Promise<HistoryFigures> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED);
  return { events: events?.length ?? 0, tasks: tasks.length };
}

/** The summaries of a history's events, in order: of the start, of timers and of activities. */
export async function summaries(client: Client, workflowId: string): Promise<string[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap((event) => {
    const data = event.userMetadata?.summary?.data;
    return data ? [JSON.parse(Buffer.from(data).toString("utf8")) as string] : [];
  });
}

/**
 * Everything that is written in a history as text, payloads too, to look for what must not be there. Neither the
 * messages' own `toJSON` nor a Buffer's may get at the payloads first: they write them in Base64 and in numbers.
 */
export async function historyText(client: Client, workflowId: string): Promise<string> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  return JSON.stringify(
    protobuf.temporal.api.history.v1.History.toObject(history as never),
    function (this: Record<string, unknown>, key, value: unknown) {
      const raw = this[key];
      return raw instanceof Uint8Array ? Buffer.from(raw).toString("utf8") : value;
    },
  );
}

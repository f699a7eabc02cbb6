/** The one connection of a process to Temporal: made on first use, mended for ever, with bounded calls. */
import { readFileSync } from "node:fs";
import {
  Client,
  type ConnectionOptions,
  makeGrpcRetryInterceptor,
  type WorkflowClientInterceptor,
} from "@temporalio/client";
import { spread } from "../../platform/time/pause.ts";
import { WatchedConnection } from "./outages.ts";

/** Where the cluster is and how it is reached. Any of the three files and an API key turn TLS on too. */
export type TemporalSettings = {
  /** `host:port` */
  address: string;
  namespace: string;
  tlsCaFile: string | undefined;
  tlsCertFile: string | undefined;
  tlsKeyFile: string | undefined;
  /** With the machine's own authorities, where no file names another. */
  tls?: boolean | undefined;
  apiKey?: string | undefined;
};
type GrpcInterceptor = NonNullable<ConnectionOptions["interceptors"]>[number];
type TLSConfig = Exclude<ConnectionOptions["tls"], boolean | null | undefined>;

/**
 * The SDK's own retries wait up to 5 s and a second at least when the server is busy, longer than a person's decision
 * may take, so only a broken connection is tried again here, twice; the callers have their own deadlines and back-off.
 */
const UNAVAILABLE = 14;
const CANCELLED = 1;
const quickRetries = makeGrpcRetryInterceptor({
  delayFunction: (attempt) => spread(40 * attempt, [0.5, 1.5], Math.random()),
  retryableDecider: (attempt, status) => attempt < 3 && status.code === UNAVAILABLE,
});

/** A client whose connection is opened by the first call: the API boots and serves with Temporal down. */
export function openClient(
  settings: TemporalSettings,
  interceptors: WorkflowClientInterceptor[],
): { client: Client; onAway(listener: () => void): void; close(): Promise<void> } {
  let closed = false;
  const connection = WatchedConnection.lazy({
    ...reachOf(settings),
    connectTimeout: 2_000,
    interceptors: [(options, nextCall) => quickRetries(options, (o) => (closed ? endedCall() : nextCall(o)))],
    // gRPC's own limit is 2 min: a cluster that came back would look away for that long.
    channelArgs: { "grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 1_000 },
  }) as WatchedConnection;
  return {
    client: new Client({ connection, namespace: settings.namespace, interceptors: { workflow: interceptors } }),
    onAway: (listener) => connection.onAway(listener),
    async close() {
      closed = true;
      await connection.close();
    },
  };
}

/**
 * What a retry gets whose time comes after the close: the channel itself would throw out of the timer and so end the
 * process. It fails like a cancelled call, which nobody tries again.
 */
function endedCall(): ReturnType<Parameters<GrpcInterceptor>[1]> {
  const ended = {
    start(metadata: never, listener?: { onReceiveStatus?(status: object): void }) {
      listener?.onReceiveStatus?.({ code: CANCELLED, details: "the connection was closed", metadata });
    },
    sendMessage() {},
    halfClose() {},
    cancelWithStatus() {},
  };
  return ended as unknown as ReturnType<Parameters<GrpcInterceptor>[1]>;
}

/** Address, TLS and credential, for the client's connection and the worker's alike. Files are read once, at boot. */
export function reachOf(settings: TemporalSettings): { address: string; tls: TLSConfig | null; apiKey?: string } {
  const { address, apiKey } = settings;
  return { address, tls: tlsOf(settings), ...(apiKey !== undefined && { apiKey }) };
}

function tlsOf({ tls, apiKey, tlsCaFile, tlsCertFile, tlsKeyFile }: TemporalSettings): TLSConfig | null {
  const given = [tlsCaFile, tlsCertFile, apiKey].some((setting) => setting !== undefined);
  if (!(tls ?? given)) return null;
  return {
    ...(tlsCaFile !== undefined && { serverRootCACertificate: readFileSync(tlsCaFile) }),
    ...(tlsCertFile !== undefined &&
      tlsKeyFile !== undefined && {
        clientCertPair: { crt: readFileSync(tlsCertFile), key: readFileSync(tlsKeyFile) },
      }),
  };
}

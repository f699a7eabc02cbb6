/** The connection pool: drizzle over postgres.js, with every statement prepared and counted. */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { grown } from "../time/pause.ts";
import { databaseAddress } from "./address.ts";
import "./mendedDriver.ts";
import "./shortLived.ts";
import { countStatement } from "./statements.ts";

export type Db = PostgresJsDatabase<Record<string, never>> & { $client: postgres.Sql };
/** An open transaction. Functions that take a `Tx` never commit and never call out of the database. */
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];
/** For reads that serve in and out of a transaction alike. */
export type Queryable = Pick<Tx, "execute" | "select" | "insert" | "update" | "delete">;
/** For reads that are one statement each. */
export type Reader = Pick<Tx, "execute">;

export type PoolOptions = {
  /** Connections at most. */
  max?: number;
  /** Shown in pg_stat_activity. */
  name?: string;
  /** The longest a statement may take; absent: as the server has it. */
  statementMs?: number;
};

/**
 * Open a pool. Sessions run in UTC and give up an idle transaction after 5 s, since one such session halves the claim
 * rate of everyone (dead rows cannot be removed).
 */
export function connect(url: string, { max = 10, name = "svc", statementMs }: PoolOptions = {}): Db {
  const { url: address, ssl } = databaseAddress(url);
  const client = postgres(address, {
    ssl,
    max,
    idle_timeout: 300,
    connect_timeout: 10,
    // The driver's own pause between attempts grows to 20 s, and queries wait for it: a database that came back would
    // look away for that long, and one that is away would hold its callers instead of failing them.
    backoff: (attempt) => grown({ first: 0.1, factor: 2, longest: 1 }, attempt),
    max_lifetime: 3600,
    onnotice: () => {},
    connection: {
      application_name: name,
      TimeZone: "UTC",
      idle_in_transaction_session_timeout: 5_000,
      ...(statementMs !== undefined && { statement_timeout: statementMs }),
    },
  });
  return drizzle(prepared(client)) as unknown as Db;
}

/**
 * Drizzle sends `unsafe` without a statement name, which costs a second round trip to describe the parameters each
 * time. Asking for a prepared statement keeps one round trip and one plan per text.
 */
function prepared<T extends postgres.Sql | postgres.TransactionSql>(client: T): T {
  return new Proxy(client, {
    get(target, property, receiver) {
      if (property === "unsafe") {
        return (text: string, parameters: never[] = [], options: object = {}) => {
          countStatement(text);
          return target.unsafe(text, parameters, { ...options, prepare: true });
        };
      }
      if (property === "begin" || property === "savepoint") {
        const open = Reflect.get(target, property, receiver) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          const body = args.pop() as (tx: postgres.TransactionSql) => unknown;
          return open(...args, (tx: postgres.TransactionSql) => body(prepared(tx)));
        };
      }
      return Reflect.get(target, property, receiver);
    },
  });
}

/** Column types that the tables of every noun share. */
import { customType, timestamp } from "drizzle-orm/pg-core";

/** A point in time, read and compared as text: a `Date` would lose the microseconds that order rows. */
export const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: "string" });

export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

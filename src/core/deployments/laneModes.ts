/** Modes that take their stack's lane, in words of SQL: those of the index `deployments_lane`. */
import { type SQL, sql } from "drizzle-orm";
import { BESIDE_THE_LANE } from "./lifecycle.ts";

const LIST = BESIDE_THE_LANE.map((mode) => `'${mode}'`).join(", ");

/** Whether the deployment of this name in the statement takes the lane. */
export function takesLane(alias?: string): SQL {
  return sql.raw(`${alias === undefined ? "" : `${alias}.`}mode not in (${LIST})`);
}

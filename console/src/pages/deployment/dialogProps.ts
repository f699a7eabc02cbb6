import type { TabProps } from "./tabProps.ts";
import type { Writes } from "./useDecisions.ts";

/** What each dialog of a deployment's page is given. */
export type DialogProps = TabProps & { writes: Writes; onClose: () => void };

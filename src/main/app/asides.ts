/** Ports to others: whoever waits for one of these gives away the turn that its request has in this process. */
import type { BatchSender } from "../../core/deployments/submitBatch.ts";
import type { DecisionSender } from "../../core/deployments/submitDecision.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { aside } from "../../platform/turns/turn.ts";

export function asideEgress(egress: Egress): Egress {
  return {
    request: (call) => aside(() => egress.request(call)),
    checkHost: (...asked) => aside(() => egress.checkHost(...asked)),
    connect: (call) => aside(() => egress.connect(call)),
    // Also the wait for a place: who has one and comes back to its turn must not find it held by who waits for a place.
    through: (tenant, work) => aside(() => egress.through(tenant, work)),
    close: () => egress.close(),
  };
}

/** A bulk decision has a turn of another kind, which it keeps. */
export function asideSender(sender: DecisionSender & BatchSender): DecisionSender & BatchSender {
  return {
    decide: (...decision) => aside(() => sender.decide(...decision)),
    decideMany: (...batch) => sender.decideMany(...batch),
  };
}

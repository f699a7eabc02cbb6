/** Every workflow type, by the names in `contract.ts`. The bundle is made from here. */
export { dependentCascade } from "./dependentCascade.ts";
export { deployment } from "./deployment.ts";
export { driftChecks } from "./driftChecks.ts";
export { dependencySweep, housekeeping, reconciler, seatAudit } from "./jobs.ts";
export { notificationDelivery } from "./notificationDelivery.ts";
export { orgTask } from "./orgTask.ts";
export { prPreview } from "./prPreview.ts";
export { runLease } from "./runLease.ts";
export { schedules } from "./schedules.ts";
export { scmEvent } from "./scmEvent.ts";

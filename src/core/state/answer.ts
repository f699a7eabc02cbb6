/** Versions of a state, their lock and their differences as people see them. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { ActorAnswer } from "../../people/actors/actor.ts";
import { STATE_ORIGINS } from "./schema.ts";

export const StateVersion = v.pipe(
  v.object({
    id: Id,
    number: v.pipe(v.number(), v.metadata({ description: "Rises by one with each version of the stack" })),
    is_newest: v.pipe(v.boolean(), v.metadata({ description: "Whether it is the state of the stack" })),
    serial: v.number(),
    lineage: v.string(),
    engine_version: v.nullable(v.string()),
    resources: v.pipe(
      v.nullable(v.number()),
      v.metadata({ description: "Managed ones; null where an engine has encrypted them" }),
    ),
    size: v.number(),
    sha256: v.string(),
    origin: v.picklist(STATE_ORIGINS),
    restores: v.pipe(
      v.nullable(v.number()),
      v.metadata({ description: "Of a rollback: the number of the version whose body it has" }),
    ),
    run_id: v.nullable(Id),
    deployment_id: v.nullable(Id),
    created_by: v.nullable(ActorAnswer),
    created_at: Time,
  }),
  v.metadata({ ref: "StateVersion" }),
);
export const StateVersionPage = v.pipe(pageOf(StateVersion), v.metadata({ ref: "StateVersionPage" }));

export const StateLock = v.pipe(
  v.object({
    locked: v.boolean(),
    id: v.nullable(v.string()),
    operation: v.nullable(v.string()),
    who: v.pipe(v.nullable(v.string()), v.metadata({ description: "As the engine says it" })),
    engine_version: v.nullable(v.string()),
    locked_at: v.nullable(Time),
    run_id: v.nullable(Id),
    locked_by: v.nullable(ActorAnswer),
  }),
  v.metadata({ ref: "StateLock" }),
);

export const StateChanges = v.pipe(
  v.object({
    from: v.nullable(Id),
    to: Id,
    items: v.array(
      v.object({
        kind: v.picklist(["resource", "data", "output"]),
        address: v.string(),
        action: v.picklist(["add", "change", "destroy"]),
        attributes: v.pipe(
          v.array(v.string()),
          v.metadata({ description: "Of a change: names of the attributes that have another value" }),
        ),
      }),
    ),
    complete: v.pipe(v.boolean(), v.metadata({ description: "False where there are more changes than are listed" })),
  }),
  v.metadata({ ref: "StateChanges" }),
);

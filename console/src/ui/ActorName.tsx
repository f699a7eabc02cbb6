import { Bot, User, Wrench } from "lucide-react";
import type { Actor } from "../data/types.ts";
import css from "./ActorName.module.css";

const ICONS = { user: User, service_account: Bot, operator: Wrench };
const KINDS = { user: "person", service_account: "service account", operator: "operator" };

/** Who did it; nothing where nobody did, such as a push. */
export function ActorName({ actor }: { actor: Actor | null }) {
  if (actor === null) return null;
  const Icon = ICONS[actor.kind];
  return (
    <span className={css.actor} title={`${KINDS[actor.kind]} ${actor.id}`}>
      <Icon size={13} aria-hidden />
      {actor.name ?? actor.id}
    </span>
  );
}

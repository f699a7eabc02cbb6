/** Which approvals the plan needs, who gave them and when, and who could. */
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, CircleX } from "lucide-react";
import { deploymentApprovalsQuery } from "../../data/approvals.ts";
import type { DeploymentPlace } from "../../data/plans.ts";
import type { Approvals as Asked, Deployment } from "../../data/types.ts";
import { ActorName } from "../../ui/ActorName.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./Approvals.module.css";

/** Before a plan waits, and of what never plans, there is nothing to ask. */
const EARLY: readonly Deployment["status"][] = ["queued", "pending", "planning"];

export function Approvals({ place, deployment }: { place: DeploymentPlace; deployment: Deployment }) {
  const none = EARLY.includes(deployment.status) || deployment.mode === "raw" || deployment.mode === "drift";
  const asked = useQuery({ ...deploymentApprovalsQuery(place), enabled: !none }).data;
  if (none || asked === undefined || asked.required.length + asked.reviews.length === 0) return null;
  return (
    <section className={css.approvals} aria-label="Approvals" data-approvals={asked.blocked ? "missing" : "given"}>
      <ul className={css.list}>
        {asked.required.map((one) => (
          <Required key={one.id} asked={one} waits={deployment.status === "waiting"} />
        ))}
        {asked.reviews.map((review) => (
          <Review key={review.id} review={review} />
        ))}
      </ul>
      {asked.deadline_at !== null && (
        <p className={css.more}>
          skipped without them <Time at={asked.deadline_at} />
        </p>
      )}
    </section>
  );
}

function Required({ asked, waits }: { asked: Asked["required"][number]; waits: boolean }) {
  const { name, source, count, given, missing, from, could, reason } = asked;
  const Icon = missing === 0 ? CircleCheck : CircleDashed;
  return (
    <li className={css.line} data-tone={missing === 0 ? "good" : "warn"}>
      <Icon size={14} aria-hidden />
      <span>
        <b>
          {given.length} of {count}
        </b>{" "}
        {count === 1 ? "approval" : "approvals"} by {from.join(" or ") || "whoever may review"} ({source} {name}
        {reason !== null && `: ${reason}`})
      </span>
      {waits && missing > 0 && (
        <span className={css.more}>
          {could.length === 0
            ? "nobody who could is left"
            : `could: ${could.map((one) => one.name ?? one.id).join(", ")}`}
        </span>
      )}
    </li>
  );
}

const STANDING: Record<Asked["reviews"][number]["standing"], string | null> = {
  counts: null,
  replaced: "replaced by a newer word",
  voided: "of an earlier plan",
  own_change: "their own change: does not count",
  not_asked: "not asked for: does not count",
};

function Review({ review }: { review: Asked["reviews"][number] }) {
  const { verdict, reviewer, created_at, comment, standing } = review;
  const counts = standing === "counts";
  return (
    <li
      className={css.line}
      data-tone={counts ? (verdict === "approve" ? "good" : "bad") : "past"}
      data-review={standing}
    >
      {verdict === "approve" ? <CircleCheck size={14} aria-hidden /> : <CircleX size={14} aria-hidden />}
      <span>{verdict === "approve" ? "approved by" : "rejected by"}</span>
      <ActorName actor={reviewer} />
      <Time at={created_at} />
      {STANDING[standing] !== null && <span className={css.more}>{STANDING[standing]}</span>}
      {comment !== null && <q className={css.comment}>{comment}</q>}
    </li>
  );
}

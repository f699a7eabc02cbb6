/** What stays in sight: what it is, what it waits for, and what can be done. */
import { Link } from "@tanstack/react-router";
import { GitCommitHorizontal, GitPullRequest } from "lucide-react";
import type { ReactNode } from "react";
import type { DeploymentPlace } from "../../data/plans.ts";
import type { Deployment, OneDeployment, Stack } from "../../data/types.ts";
import { ActorName } from "../../ui/ActorName.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./DeploymentHead.module.css";
import { headlineOf, lastRun } from "./headline.ts";
import { Policies } from "./Policies.tsx";
import { StageLine } from "./StageLine.tsx";
import { WhyLine } from "./WhyLine.tsx";

type Props = {
  place: DeploymentPlace;
  deployment: OneDeployment;
  stack: Stack | null;
  behind: number;
  decisions: ReactNode;
  approvals: ReactNode;
  tabs: ReactNode;
};

export function DeploymentHead({ place, deployment, stack, behind, decisions, approvals, tabs }: Props) {
  const headline = headlineOf(deployment);
  return (
    <>
      <nav className={css.crumbs} aria-label="Where this is">
        <Link to="/orgs/$org/stacks" params={{ org: place.org }}>
          Stacks
        </Link>
        <span aria-hidden>/</span>
        <Link to="/orgs/$org/stacks/$stack" params={{ org: place.org, stack: place.stack }}>
          {stack?.name ?? place.stack}
        </Link>
      </nav>
      <header className={css.head}>
        <div className={css.first}>
          <h1 className={css.title}>{titleOf(deployment)}</h1>
          <span className={css.headline} data-tone={headline.tone} data-headline={deployment.status}>
            {headline.text}
          </span>
          <div className={css.decisions}>{decisions}</div>
        </div>
      </header>
      <div className={css.facts}>
        <Facts deployment={deployment} />
        <WhyLine place={place} deployment={deployment} stack={stack} behind={behind} />
        <Policies place={place} deployment={deployment} />
        {approvals}
        <StageLine deployment={deployment} />
      </div>
      <div className={css.tabs}>{tabs}</div>
    </>
  );
}

const MODES: Record<Deployment["mode"], string> = {
  plan: "Plan and apply",
  destroy: "Destroy everything",
  refresh: "Refresh the state",
  plan_unlocked: "Preview",
  raw: "Command",
  drift: "Check for drift",
};

function titleOf({ mode, commit_message, origin_pr_title }: Deployment): string {
  if (mode === "raw" || mode === "destroy" || mode === "refresh") return MODES[mode];
  return origin_pr_title ?? commit_message?.split("\n", 1)[0] ?? MODES[mode];
}

const ORIGINS: Record<string, string> = {
  push: "by a push",
  dependency: "after another stack",
  local: "from local files",
  pull_request: "for a pull request",
  promoted_pull_request: "promoted pull request",
  drift: "to undo drift",
  schedule: "by a schedule",
  lifetime: "since its time was over",
};

function Facts({ deployment }: { deployment: OneDeployment }) {
  const { mode, commit_sha, branch, created_by_actor, created_at, tool, tool_version, origin_type } = deployment;
  const run = lastRun(deployment);
  return (
    <p className={css.line}>
      <span>{MODES[mode].toLowerCase()}</span>
      {deployment.local_source_key === null && (
        <span className={css.commit}>
          <GitCommitHorizontal size={14} aria-hidden />
          <code title={commit_sha}>{commit_sha.slice(0, 7)}</code>
          <Copy text={commit_sha} what="commit" />
          {branch}
        </span>
      )}
      {deployment.origin_pr_url !== null && deployment.origin_pr_number !== null && (
        <a className={css.commit} href={deployment.origin_pr_url} rel="noreferrer" target="_blank">
          <GitPullRequest size={14} aria-hidden />#{deployment.origin_pr_number}
        </a>
      )}
      {created_by_actor === null ? (
        <span>{ORIGINS[origin_type] ?? origin_type}</span>
      ) : (
        <ActorName actor={created_by_actor} />
      )}
      <Time at={created_at} />
      {run?.assigned_runner_id != null && (
        <span title={`runner ${run.assigned_runner_id}`}>runner {run.assigned_runner_id.slice(-6)}</span>
      )}
      <span>
        {tool} {tool_version}
      </span>
      {deployment.provenance !== "branch" && <span className={css.foreign}>{PROVENANCES[deployment.provenance]}</span>}
      {deployment.temporal_ui_url !== null && (
        <a href={deployment.temporal_ui_url} rel="noreferrer" target="_blank">
          Temporal
        </a>
      )}
    </p>
  );
}

const PROVENANCES: Record<Deployment["provenance"], string> = {
  branch: "on the branch",
  pull_request: "head of a pull request, not on the branch",
  fork: "from a fork, not on the branch",
  promoted: "promoted from a pull request",
  local: "uploaded files",
  foreign: "not on the branch",
  unknown: "not known to be on the branch",
};

/** Which stack is meant: named, in the environment, in a file upward in the tree, or by the repository. Pure. */
import { usage } from "../exit/failure.ts";

export type RepositoryPlace = {
  /** Addresses of the clone's remotes. */
  remotes: readonly string[];
  /** Where one stands in it, `.` for its root. */
  directory: string;
};

export type KnownStack = { id: string; repository_url: string; working_directory: string };

/** The one stack of this repository whose directory is here, or else of one further up. @throws Failure */
export function stackOfPlace({ remotes, directory }: RepositoryPlace, stacks: readonly KnownStack[]): string {
  const keys = new Set(remotes.map(repositoryKey));
  const mine = stacks.filter(({ repository_url }) => keys.has(repositoryKey(repository_url)));
  for (const here of upward(directory)) {
    const found = mine.filter(({ working_directory }) => normal(working_directory) === here);
    if (found.length === 1) return found[0]!.id;
    if (found.length > 1) throw usage(`Several stacks are of this directory: ${names(found)}.`, NAME_ONE);
  }
  if (mine.length > 0) throw usage(`No stack is of this directory; of this repository are: ${names(mine)}.`, NAME_ONE);
  throw usage("No stack is of this repository.", NAME_ONE);
}

const NAME_ONE =
  'deploy stacks lists them. Name one: as an argument, with --stack, in DEPLOY_STACK, or as {"stack": "..."} in .deploy.json';

export function noStack(): Error {
  return usage("Which stack?", NAME_ONE);
}

function names(stacks: readonly KnownStack[]): string {
  const shown = stacks.slice(0, 10).map(({ id }) => id);
  return `${shown.join(", ")}${stacks.length > 10 ? ", ..." : ""}`;
}

/** One text for all the ways in which one repository is addressed: by HTTPS, by SSH, with a user, with `.git`. */
export function repositoryKey(address: string): string {
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(address);
  const url = scp ? `ssh://${scp[1]}/${scp[2]}` : address;
  const parsed = URL.parse(url);
  const place = parsed === null ? url : `${parsed.hostname}${decodeURIComponent(parsed.pathname)}`;
  return place
    .toLowerCase()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .replace(/\/{2,}/g, "/");
}

function upward(directory: string): string[] {
  const steps = normal(directory).split("/");
  const all = steps.map((_, at) => steps.slice(0, steps.length - at).join("/"));
  return all.includes(".") ? all : [...all, "."];
}

function normal(directory: string): string {
  const steps = directory.split("/").filter((step) => step !== "" && step !== ".");
  return steps.length === 0 ? "." : steps.join("/");
}

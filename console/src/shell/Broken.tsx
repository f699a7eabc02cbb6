/** What stands in the place of a page that could not be drawn. A page of an older build is loaded anew, once. */
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiError } from "../../../clients/api/problem.ts";
import { Button } from "../ui/Button.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import css from "./Broken.module.css";
import { useTitle } from "./title.ts";

export function Broken({ error, reset }: ErrorComponentProps) {
  // Decided once: the reload is noted before the page has gone.
  const [outdated] = useState(() => isOutdated(error));
  useTitle(outdated ? "Loading" : "Broken");
  useEffect(() => {
    if (!outdated) return;
    sessionStorage.setItem(RELOADED, `${Date.now()}`);
    location.reload();
  }, [outdated]);
  if (outdated) return <Loading lines={6} what="Loading the new version" />;
  if (error instanceof ApiError) return <Failed error={error} onRetry={reset} />;
  return (
    <div className={css.broken} role="alert">
      <h1>This page broke</h1>
      <p>The rest still works. Load it again; if it breaks again, this is what to report:</p>
      <pre className={css.reason}>{error instanceof Error ? error.stack : String(error)}</pre>
      <Button kind="primary" onClick={() => location.reload()}>
        Load again
      </Button>
    </div>
  );
}

export function NotFound() {
  useTitle("Not found");
  return (
    <div className={css.broken}>
      <h1>No such page</h1>
      <p>
        The address is none of this console. <Link to="/">Go to the beginning</Link>
      </p>
    </div>
  );
}

const RELOADED = "reloaded-for-chunk";
const AGAIN_AFTER_MS = 60_000;
const MISSING_PART = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

/** The files of the build that this tab began with are gone once there is a newer one. */
function isOutdated(error: unknown): boolean {
  return (
    error instanceof Error &&
    MISSING_PART.test(error.message) &&
    Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) > AGAIN_AFTER_MS
  );
}

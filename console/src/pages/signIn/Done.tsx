import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { session } from "../../data/session.ts";
import { useTitle } from "../../shell/title.ts";
import css from "./Page.module.css";

/** Where a sign-in in a window of its own ends: it tells the page that waits for it, and goes. */
export default function Done() {
  useTitle("Signed in");
  useEffect(() => {
    session.tellOthers();
    close();
  }, []);
  return (
    <main className={css.page}>
      <section className={css.card}>
        <h1>You are signed in</h1>
        <p>
          This window can be closed. <Link to="/">Or go on here</Link>
        </p>
      </section>
    </main>
  );
}

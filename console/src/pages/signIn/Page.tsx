import { getRouteApi } from "@tanstack/react-router";
import { signInAddress } from "../../data/signIn.ts";
import { Announcements } from "../../shell/announce.tsx";
import { SignInWays } from "../../shell/SignInWays.tsx";
import { useTitle } from "../../shell/title.ts";
import css from "./Page.module.css";

const route = getRouteApi("/sign-in");

export default function Page() {
  useTitle("Sign in");
  const { return_to = "/", org } = route.useSearch();
  return (
    <main className={css.page}>
      <section className={css.card}>
        <h1>Deployments</h1>
        <p className={css.hint}>Sign in to see what waits for you.</p>
        <SignInWays org={org} onChoose={(way) => location.assign(signInAddress(way, return_to))} />
      </section>
      <Announcements />
    </main>
  );
}

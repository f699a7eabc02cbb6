import { getRouteApi } from "@tanstack/react-router";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import css from "./Page.module.css";
import { Sessions } from "./Sessions.tsx";

const route = getRouteApi("/me");

export default function Page() {
  useTitle("You");
  route.useSearch();
  return (
    <div className={css.page}>
      <PageHead title="You" />
      <Sessions />
    </div>
  );
}

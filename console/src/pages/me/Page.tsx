import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { meQuery } from "../../data/me.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Notice } from "../../ui/Notice.tsx";
import { TabLinks } from "../../ui/TabLinks.tsx";
import { Time } from "../../ui/Time.tsx";
import { Identities } from "./Identities.tsx";
import { Offers } from "./Offers.tsx";
import css from "./Page.module.css";
import { Sessions } from "./Sessions.tsx";
import { Tokens } from "./Tokens.tsx";

const route = getRouteApi("/me");

const TABS = [
  { tab: undefined, label: "Tokens" },
  { tab: "sessions", label: "Sessions" },
  { tab: "identities", label: "Identities" },
] as const;

/** What a person has in their own hands. */
export default function Page() {
  const { tab } = route.useSearch();
  const { data: me } = useQuery(meQuery());
  useTitle(me?.name ?? "You");
  const tabs = TABS.map(({ tab: of, label }) => ({
    link: { to: "/me" as const, search: of === undefined ? {} : { tab: of } },
    label,
  }));
  return (
    <div className={css.page}>
      <PageHead title={me?.name ?? "You"}>{me && <code>{me.id}</code>}</PageHead>
      {me?.new_identities?.map(({ id, issuer, login, linked_at }) => (
        <Notice key={id} tone="warn">
          {login ?? "An identity"} at {issuer} was linked to you <Time at={linked_at} />. If that was not you, unlink
          it.
        </Notice>
      ))}
      <Offers />
      <TabLinks label="You" tabs={tabs} bySearch />
      {tab === undefined && <Tokens />}
      {tab === "sessions" && <Sessions />}
      {tab === "identities" && <Identities />}
    </div>
  );
}

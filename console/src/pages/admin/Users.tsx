import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type UserFilter, usersQuery } from "../../data/admin.ts";
import { Badge } from "../../ui/Badge.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { UserDetail } from "./UserDetail.tsx";
import { useAdmin } from "./useAdmin.ts";

const STATES = [
  { value: "disabled", label: "Disabled" },
  { value: "super", label: "Super-admins" },
];

/** Everybody who has ever signed in. */
export function Users() {
  const { search, set } = useAdmin();
  const filter: UserFilter = {
    ...(search.q && { login_prefix: search.q }),
    ...(search.state === "disabled" && { disabled: "true" }),
    ...(search.state === "super" && { is_super_admin: "true" }),
  };
  const list = useInfiniteQuery({ ...usersQuery(filter), placeholderData: keepPreviousData });
  return (
    <>
      <FilterBar>
        <FilterText label="Login begins with" value={search.q} onChange={(q) => set({ q, id: undefined })} />
        <FilterSelect
          label="State"
          value={search.state}
          options={STATES}
          onChange={(state) => set({ state, id: undefined })}
        />
      </FilterBar>
      <Split
        back={{ link: { to: "/admin", search: { tab: "people" } }, label: "All people" }}
        list={
          <Panel title="People">
            <PagedList
              label="People"
              list={list}
              empty={<Empty title="Nobody fits" />}
              row={({ id, login, display_name, is_super_admin, disabled_at, last_login_at }) => (
                <SplitRow
                  key={id}
                  title={display_name ?? login}
                  selected={id === search.id}
                  link={{ to: "/admin", search: { tab: "people", q: search.q, state: search.state, id } }}
                  meta={
                    <>
                      {display_name && <span>{login}</span>}
                      <span>{last_login_at ? <Time at={last_login_at} /> : "never signed in"}</span>
                    </>
                  }
                  end={
                    <>
                      {is_super_admin && <Badge tone="run">Super-admin</Badge>}
                      {disabled_at && <Badge tone="bad">Disabled</Badge>}
                    </>
                  }
                />
              )}
            />
          </Panel>
        }
        detail={search.id ? <UserDetail key={search.id} id={search.id} /> : null}
      />
    </>
  );
}

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useCallback } from "react";
import { membersQuery } from "../../data/people.ts";
import type { Member } from "../../data/types.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { FilterBar } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SearchBox } from "../../ui/SearchBox.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { AddMember } from "./AddMember.tsx";
import { MemberDetail } from "./MemberDetail.tsx";
import { usePeople } from "./usePeople.ts";

export function Members() {
  const { org, search, set, may, show } = usePeople();
  const list = useInfiniteQuery({ ...membersQuery(org, search.search), placeholderData: keepPreviousData });
  const mayAdd = may("member", "create");
  const selected = list.data?.find(({ user_id }) => user_id === search.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `set` only writes the address
  const onSearch = useCallback((text: string | undefined) => set({ search: text, id: undefined }), [org]);
  return (
    <>
      <FilterBar>
        <SearchBox label="Name or login contains" value={search.search} onChange={onSearch} />
        {mayAdd && (
          <Button kind="primary" icon={<UserPlus size={15} aria-hidden />} onClick={() => show("add")}>
            Add a member
          </Button>
        )}
      </FilterBar>
      <Split
        back={{ link: { to: "/orgs/$org/people", params: { org }, search: {} }, label: "All members" }}
        list={
          <Panel title="Members">
            <PagedList
              label="Members"
              list={list}
              empty={<Empty title={search.search ? "Nobody fits" : "No member"} />}
              row={(member) => (
                <MemberRow key={member.user_id} org={org} member={member} selected={member.user_id === search.id} />
              )}
            />
          </Panel>
        }
        detail={selected ? <MemberDetail key={selected.user_id} member={selected} /> : null}
      />
      {search.dialog === "add" && mayAdd && <AddMember org={org} onClose={() => show(undefined)} />}
    </>
  );
}

function MemberRow({ org, member, selected }: { org: string; member: Member; selected: boolean }) {
  const { user_id, login, display_name, roles, expires_at, disabled_at } = member;
  return (
    <SplitRow
      link={{
        to: "/orgs/$org/people",
        params: { org },
        search: (before: { search?: string | undefined }) => ({ search: before.search, id: user_id }),
      }}
      title={display_name ?? login}
      selected={selected}
      meta={
        <>
          {display_name && <span>{login}</span>}
          <span>{roles.length === 0 ? "no role of their own" : roles.map(({ name }) => name).join(", ")}</span>
          {expires_at && (
            <span>
              until <Time at={expires_at} />
            </span>
          )}
        </>
      }
      end={disabled_at && <Badge tone="bad">Disabled</Badge>}
    />
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Building2, ChevronsUpDown, User } from "lucide-react";
import { orgsQuery } from "../data/orgs.ts";
import { buttonClass } from "../ui/Button.tsx";
import { Menu, MenuLabel, MenuLink } from "../ui/Menu.tsx";
import css from "./OrgSwitch.module.css";

export function OrgSwitch({ org }: { org: string | undefined }) {
  const { data: orgs = [] } = useQuery(orgsQuery());
  const current = orgs.find(({ id }) => id === org);
  const name = current?.name ?? (org === undefined ? "Choose an organization" : "Organization");
  return (
    <Menu
      label="Organizations"
      align="start"
      trigger={
        <button type="button" className={buttonClass("quiet")} aria-label={`Organization: ${name}`}>
          <span className={css.name}>{name}</span>
          <ChevronsUpDown size={14} aria-hidden />
        </button>
      }
    >
      <MenuLabel>Organizations</MenuLabel>
      {orgs.map(({ id, name: each, is_personal }) => (
        <MenuLink key={id}>
          <Link to="/orgs/$org" params={{ org: id }} className={css.org}>
            {is_personal ? <User size={15} aria-hidden /> : <Building2 size={15} aria-hidden />}
            {each}
            {id === org && <span className={css.here}>here</span>}
          </Link>
        </MenuLink>
      ))}
    </Menu>
  );
}

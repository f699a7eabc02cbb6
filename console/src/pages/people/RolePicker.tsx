import { useQuery } from "@tanstack/react-query";
import { rolesQuery } from "../../data/people.ts";
import { Check } from "../../ui/Field.tsx";
import { ErrorText, Loading } from "../../ui/states.tsx";
import css from "./Page.module.css";

type Props = { org: string; chosen: readonly string[]; onChange: (ids: string[]) => void; error?: string | undefined };

/** Roles to tick. */
export function RolePicker({ org, chosen, onChange, error }: Props) {
  const roles = useQuery(rolesQuery(org));
  return (
    <fieldset className={css.roles}>
      <legend>Roles</legend>
      {roles.isPending && <Loading lines={2} what="Loading the roles" />}
      {roles.error && <ErrorText error={roles.error} />}
      {roles.data?.map(({ id, name, is_system }) => (
        <Check
          key={id}
          label={name}
          hint={is_system ? undefined : "own role"}
          checked={chosen.includes(id)}
          onChange={(ticked) => onChange(ticked ? [...chosen, id] : chosen.filter((each) => each !== id))}
        />
      ))}
      {error && <p className={css.error}>{error}</p>}
    </fieldset>
  );
}

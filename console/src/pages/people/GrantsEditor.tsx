import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { permissionsQuery } from "../../data/permissions.ts";
import type { Permission, Permissions } from "../../data/types.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { ErrorText, Loading } from "../../ui/states.tsx";
import css from "./Page.module.css";
import { actionWords, typeWords } from "./permissionText.ts";

type Type = Permissions["items"][number];
const ANY: Type = { type: "*", actions: [], takes_pattern: false, takes_group: false };

type Props = {
  org: string;
  permissions: readonly Permission[];
  onChange: (permissions: readonly Permission[]) => void;
};

/** What a role allows, one line each: on what, which action, and all of them or only some. */
export function GrantsEditor({ org, permissions, onChange }: Props) {
  const known = useQuery(permissionsQuery(org));
  if (known.isError) return <ErrorText error={known.error} />;
  if (known.data === undefined) return <Loading lines={3} what="Loading the permissions" />;
  const types = [...known.data.items, ANY];
  const replace = (at: number, next: Permission) =>
    onChange(permissions.map((each, index) => (index === at ? next : each)));
  const add = () =>
    onChange([...permissions, { resource_type: "stack", action: "read", resource_pattern: null, authz_group: null }]);
  return (
    <div className={css.grants}>
      {permissions.map((permission, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else to be known by, and keep their order
          key={index}
          number={index + 1}
          permission={permission}
          types={types}
          onChange={(next) => replace(index, next)}
          onRemove={() => onChange(permissions.filter((_, at) => at !== index))}
        />
      ))}
      <span className={css.start}>
        <Button small icon={<Plus size={14} aria-hidden />} onClick={add}>
          Another permission
        </Button>
      </span>
    </div>
  );
}

type LineProps = {
  number: number;
  permission: Permission;
  types: readonly Type[];
  onChange: (next: Permission) => void;
  onRemove: () => void;
};

function Line({ number, permission, types, onChange, onRemove }: LineProps) {
  const { resource_type, action, resource_pattern, authz_group } = permission;
  const type = types.find((each) => each.type === resource_type) ?? ANY;
  const actions = resource_type === "*" ? [...new Set(types.flatMap((each) => each.actions))] : type.actions;
  const onType = (next: string) => {
    const of = types.find((each) => each.type === next) ?? ANY;
    const kept = next === "*" || action === "*" || of.actions.includes(action) ? action : (of.actions[0] ?? "*");
    onChange({ resource_type: next, action: kept, resource_pattern: null, authz_group: null });
  };
  const by = resource_pattern !== null ? "pattern" : authz_group !== null ? "group" : "all";
  const onBy = (next: string) =>
    onChange({
      ...permission,
      resource_pattern: next === "pattern" ? "*" : null,
      authz_group: next === "group" ? "" : null,
    });
  return (
    <fieldset className={css.line}>
      <legend className="sr-only">Permission {number}</legend>
      <div className={css.grant}>
        <Field label="On">
          <select value={resource_type} onChange={(event) => onType(event.target.value)}>
            {types.map((each) => (
              <option key={each.type} value={each.type}>
                {typeWords(each.type)}
              </option>
            ))}
          </select>
        </Field>
        <Field label="May">
          <select value={action} onChange={(event) => onChange({ ...permission, action: event.target.value })}>
            {[...actions, "*"].map((each) => (
              <option key={each} value={each}>
                {actionWords(each)}
              </option>
            ))}
          </select>
        </Field>
        <div className={css.which}>
          <Field label="Which">
            <select value={by} onChange={(event) => onBy(event.target.value)}>
              <option value="all">all</option>
              {type.takes_pattern && <option value="pattern">with a name like</option>}
              {type.takes_group && <option value="group">of a group</option>}
            </select>
          </Field>
          {by === "pattern" && (
            <input
              className={css.text}
              aria-label="Name, * for any text"
              value={resource_pattern ?? ""}
              required
              spellCheck={false}
              onChange={(event) => onChange({ ...permission, resource_pattern: event.target.value })}
            />
          )}
          {by === "group" && (
            <input
              className={css.text}
              aria-label="Group"
              value={authz_group ?? ""}
              required
              spellCheck={false}
              onChange={(event) => onChange({ ...permission, authz_group: event.target.value })}
            />
          )}
        </div>
        <IconButton label={`Remove permission ${number}`} icon={<Trash2 size={15} />} onClick={onRemove} />
      </div>
    </fieldset>
  );
}

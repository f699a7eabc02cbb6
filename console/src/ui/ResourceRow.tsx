import { Link, type LinkProps } from "@tanstack/react-router";
import type { Resource } from "../data/graph.ts";
import css from "./ResourceRow.module.css";
import rows from "./rows.module.css";

/** @param stack where its stack is, in a list of several stacks */
export function ResourceRow({ resource, stack }: { resource: Resource; stack?: LinkProps }) {
  const { address, mode, type, provider, identity } = resource;
  const name = <code className={rows.mono}>{address}</code>;
  return (
    <li className={`${rows.row} ${css.row}`}>
      {stack === undefined ? (
        <span className={css.address}>{name}</span>
      ) : (
        <Link {...stack} className={rows.link} data-row>
          {name}
        </Link>
      )}
      <span className={rows.meta}>
        {stack !== undefined && <span>{resource.stack.name}</span>}
        <span>{mode === "data" ? `${type}, read only` : type}</span>
        <span>{provider}</span>
        {identity && <code className={css.identity}>{identity}</code>}
      </span>
    </li>
  );
}

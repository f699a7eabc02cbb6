/** A table whose narrow form is a list of its rows: on a phone each cell stands below the other with its heading. */
import type { ReactNode } from "react";
import css from "./Table.module.css";

export type Column<T> = {
  head: string;
  cell: (row: T) => ReactNode;
  align?: "end" /** Takes what is left. */;
  wide?: boolean;
};

type Props<T> = { label: string; columns: readonly Column<T>[]; rows: readonly T[]; rowKey: (row: T) => string };

export function Table<T>({ label, columns, rows, rowKey }: Props<T>) {
  return (
    <div className={css.frame}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ head, align, wide }) => (
              <th key={head} scope="col" data-align={align} data-wide={wide}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ head, cell, align }) => (
                <td key={head} data-head={head} data-align={align}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

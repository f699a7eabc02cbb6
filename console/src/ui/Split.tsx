/** A list with one of its things beside it. Without room for both, what is selected takes the list's place. */
import { Link, type LinkProps } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";
import css from "./Split.module.css";

type Props = {
  list: ReactNode;
  /** Null where nothing is selected. */
  detail: ReactNode;
  back: { link: LinkProps; label: string };
};

export function Split({ list, detail, back }: Props) {
  return (
    <div className={css.split} data-selected={detail !== null || undefined}>
      <div className={css.list}>{list}</div>
      {detail !== null && (
        <div className={css.detail}>
          <Link {...back.link} className={css.back}>
            <ChevronLeft size={15} aria-hidden />
            {back.label}
          </Link>
          {detail}
        </div>
      )}
    </div>
  );
}

/** A list that reads on when its end comes into sight, with its states. */
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./Button.tsx";
import rows from "./rows.module.css";
import { Failed, Loading } from "./states.tsx";

type Props<T> = {
  label: string;
  list: UseInfiniteQueryResult<T[], Error>;
  row: (item: T) => ReactNode;
  empty: ReactNode;
};

/** @param row an `li` with its key */
export function PagedList<T>({ label, list, row, empty }: Props<T>) {
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end.current === null || !hasNextPage || isFetchingNextPage) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage(), {
      rootMargin: "600px",
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (isPending) return <Loading lines={5} what={`Loading ${label}`} />;
  if (error !== null && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) return empty;
  return (
    <>
      <ul className={rows.rows} aria-label={label}>
        {data.map(row)}
      </ul>
      {hasNextPage && (
        <div ref={end} className={rows.more}>
          <Button kind="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

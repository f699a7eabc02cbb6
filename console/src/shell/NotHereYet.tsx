import { PageHead } from "./PageHead.tsx";
import { useTitle } from "./title.ts";

/** A page whose address is taken. What it will show can be had from the API. */
export function NotHereYet({ title }: { title: string }) {
  useTitle(title);
  return (
    <>
      <PageHead title={title} />
      <p>This page is not here yet.</p>
    </>
  );
}

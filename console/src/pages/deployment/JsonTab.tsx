import { deploymentUrl } from "../../data/plans.ts";
import { buttonClass } from "../../ui/Button.tsx";
import { Copy } from "../../ui/Copy.tsx";
import css from "./JsonTab.module.css";
import type { TabProps } from "./tabProps.ts";

/** What the service says of it, word by word. */
export default function JsonTab({ place, deployment }: TabProps) {
  const text = JSON.stringify(deployment, null, 2);
  return (
    <section className={css.json} aria-label="JSON">
      <div className={css.tools}>
        <Copy text={text} what="JSON" />
        <a className={buttonClass("quiet", true)} href={deploymentUrl(place)} target="_blank" rel="noreferrer">
          Raw
        </a>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre className={css.text} tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}

import css from "./Labels.module.css";

export function Labels({ labels }: { labels: Readonly<Record<string, unknown>> }) {
  return Object.entries(labels).map(([key, value]) => (
    <span key={key} className={css.label}>
      {key}={String(value)}
    </span>
  ));
}

/** Stacks as links, from left to right, over the lines between them. */
import { useRouter } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { type MouseEvent, memo, useMemo, useState } from "react";
import type { GraphEdge, GraphStack } from "../../data/graph.ts";
import { Button } from "../../ui/Button.tsx";
import { classes } from "../../ui/classes.ts";
import { Panel } from "../../ui/Panel.tsx";
import { signOf } from "../../ui/status.ts";
import css from "./Drawing.module.css";
import { NODE, type Placed, type Point } from "./placed.ts";

type Props = {
  org: string;
  stacks: readonly GraphStack[];
  edges: readonly GraphEdge[];
  placed: Placed;
  /** How many there are. */
  of: number;
  around?: string | undefined;
};

const SCALES = [0.35, 0.5, 0.7, 0.85, 1] as const;

export function Drawing({ org, stacks, edges, placed, of, around }: Props) {
  const [step, setStep] = useState(SCALES.length - 1);
  const [touched, setTouched] = useState<string>();
  const scale = SCALES[step] as number;
  return (
    <Panel
      title="Drawing"
      count={`${stacks.length} of ${of}`}
      more={
        <span className={css.zoom}>
          <Button small disabled={step === 0} onClick={() => setStep(step - 1)}>
            Smaller
          </Button>
          <Button small disabled={step === SCALES.length - 1} onClick={() => setStep(step + 1)}>
            Larger
          </Button>
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className={css.frame} aria-label="Drawing of the graph" tabIndex={0} data-drawn={stacks.length}>
        <div className={css.space} style={{ inlineSize: placed.width * scale, blockSize: placed.height * scale }}>
          <div
            className={css.sheet}
            style={{ inlineSize: placed.width, blockSize: placed.height, scale: String(scale) }}
          >
            <Lines edges={edges} placed={placed} touched={touched} />
            <Nodes org={org} stacks={stacks} placed={placed} around={around} onTouch={setTouched} />
          </div>
        </div>
      </section>
    </Panel>
  );
}

type LinesProps = Pick<Props, "edges" | "placed"> & { touched: string | undefined };

function Lines({ edges, placed, touched }: LinesProps) {
  return (
    <svg className={css.lines} width={placed.width} height={placed.height} aria-hidden>
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8z" className={css.tip} />
        </marker>
      </defs>
      <AllLines edges={edges} placed={placed} />
      {touched !== undefined &&
        edges.map(
          ({ dependency, dependent }, index) =>
            (touched === dependent || touched === dependency) && (
              <path
                key={`${dependency} ${dependent}`}
                d={pathOf(placed.lines[index] ?? [])}
                className={classes(css.line, css.touched)}
              />
            ),
        )}
    </svg>
  );
}

const AllLines = memo(function AllLines({ edges, placed }: Pick<Props, "edges" | "placed">) {
  return edges.map((edge, index) => (
    <path
      key={`${edge.dependency} ${edge.dependent}`}
      d={pathOf(placed.lines[index] ?? [])}
      className={classes(css.line, css[edge.trigger])}
      markerEnd="url(#arrow)"
    />
  ));
});

type NodesProps = Pick<Props, "org" | "stacks" | "placed" | "around"> & { onTouch: (id: string | undefined) => void };

/** Made once, whatever is pointed at: some hundreds of links are not drawn anew within a frame. */
const Nodes = memo(function Nodes({ org, stacks, placed, around, onTouch }: NodesProps) {
  const { hrefOf, onClick } = useStackLinks(org);
  return stacks.map(({ id, name, latest_deployment_status: status, in_cycle }) => (
    <a
      key={id}
      href={hrefOf(id)}
      className={classes(css.node, id === around && css.around, in_cycle === true && css.cyclic)}
      style={leftTop(placed.nodes[id])}
      onClick={(event) => onClick(event, id)}
      onPointerEnter={() => onTouch(id)}
      onPointerLeave={() => onTouch(undefined)}
      onFocus={() => onTouch(id)}
      onBlur={() => onTouch(undefined)}
    >
      <StatusDot status={status} />
      <span className={css.name}>{name}</span>
      {in_cycle === true && <RefreshCw size={13} aria-label="on a cycle" />}
    </a>
  ));
});

const STACK = "/orgs/$org/stacks/$stack";

/** Plain links: each of the router's own follows the address by itself, which hundreds of them make felt. */
function useStackLinks(org: string) {
  const router = useRouter();
  return useMemo(() => {
    const { publicHref } = router.buildLocation({ to: STACK, params: { org, stack: "-" } });
    const below = router.history.createHref(publicHref).slice(0, -1);
    return {
      hrefOf: (stack: string) => below + encodeURIComponent(stack),
      onClick: (event: MouseEvent, stack: string) => {
        // Another tab or window is the browser's.
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        void router.navigate({ to: STACK, params: { org, stack } });
      },
    };
  }, [router, org]);
}

function StatusDot({ status }: { status: string | null }) {
  if (status === null) return <span className={css.never} role="img" aria-label="never deployed" />;
  const { icon: Icon, tone, word } = signOf(status);
  return <Icon size={14} className={css[tone]} aria-label={word} />;
}

function leftTop(middle: Point | undefined) {
  const { x, y } = middle ?? { x: 0, y: 0 };
  return {
    insetInlineStart: x - NODE.width / 2,
    insetBlockStart: y - NODE.height / 2,
    inlineSize: NODE.width,
    blockSize: NODE.height,
  };
}

function pathOf(points: readonly Point[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
}

/** What may happen next, at random: each is done to the model and to the product, and both must say and be the same. */
import fc from "fast-check";
import type { BenchDatabase } from "../harness/servers.ts";
import * as rules from "./rules.ts";
import { type DecisionName, type Model, type ModelDeployment, type Report, stateOf } from "./rules.ts";
import { moveClock, type World } from "./world.ts";

export type Real = {
  database: BenchDatabase;
  world: World;
  /** Called after each step. */
  onStep(): void;
};
type Command = fc.AsyncCommand<Model, Real>;

/** Two things at once are enough to find an order that nobody thought of. */
export type Act = { name: string; model(model: Model): string; real(world: World): Promise<string> };

/** The deployment that a number means; null while there is none. */
const which = ({ deployments }: Model, at: number): number | null =>
  // The youngest are those at which something still happens.
  deployments.length === 0 ? null : deployments.length - 1 - (at % Math.min(deployments.length, RECENT));
const RECENT = 6;
const SECOND = 1_000;

class Step implements Command {
  readonly #act: (model: Model) => Act | null;

  constructor(act: (model: Model) => Act | null) {
    this.#act = act;
  }

  check(model: Readonly<Model>): boolean {
    return this.#act(model as Model) !== null;
  }

  async run(model: Model, { database, world, onStep }: Real): Promise<void> {
    const act = this.#act(model) as Act;
    this.toString = () => act.name;
    await pass(model, database, 1);
    const said = act.model(model);
    same(act.name, await act.real(world), said);
    same(`after ${act.name}`, (await world.state()).join("\n"), stateOf(model).join("\n"));
    onStep();
  }
}

/** Both in one instant: the outcome must be that of one after the other, in either order. */
class Together implements Command {
  readonly #acts: (model: Model) => [Act, Act] | null;

  constructor(acts: (model: Model) => [Act, Act] | null) {
    this.#acts = acts;
  }

  check(model: Readonly<Model>): boolean {
    return this.#acts(model as Model) !== null;
  }

  async run(model: Model, { database, world, onStep }: Real): Promise<void> {
    const [one, two] = this.#acts(model) as [Act, Act];
    this.toString = () => `together(${one.name}, ${two.name})`;
    await pass(model, database, 1);
    const said = await Promise.all([one.real(world), two.real(world)]);
    const found = [said.join(", "), ...(await world.state())].join("\n");
    const orders = [[one, two] as const, [two, one] as const].map((order) => {
      const after = structuredClone(model);
      const answers = new Map(order.map((act) => [act, act.model(after)]));
      return { after, text: [[one, two].map((act) => answers.get(act)).join(", "), ...stateOf(after)].join("\n") };
    });
    const order = orders.find(({ text }) => text === found);
    if (order === undefined)
      throw new Error(`${this}:\n${found}\n--- is neither\n${orders.map(({ text }) => text).join("\n--- nor\n")}`);
    Object.assign(model, order.after);
    onStep();
    onStep();
  }
}

class Pass implements Command {
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  check = () => true;
  toString = () => `pass(${this.#ms / 1_000} s)`;

  async run(model: Model, { database, onStep }: Real): Promise<void> {
    await pass(model, database, this.#ms);
    onStep();
  }
}

class Claim implements Command {
  check = () => true;
  toString = () => "claim";

  async run(model: Model, { database, world, onStep }: Real): Promise<void> {
    await pass(model, database, 1);
    const heads = rules.claimable(model);
    const taken = await world.claim();
    const numbers = heads.map((head) => model.deployments.indexOf(head));
    if (taken === null ? heads.length > 0 : !numbers.includes(taken)) {
      throw new Error(`the claim took ${taken}, and may take ${numbers.join(" or ") || "nothing"}`);
    }
    if (taken !== null) rules.claim(model, model.deployments[taken] as ModelDeployment);
    same("after a claim", (await world.state()).join("\n"), stateOf(model).join("\n"));
    onStep();
  }
}

/** Time passes and every timer comes, as it does where nothing holds them up. */
class Silence implements Command {
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  check = () => true;
  toString = () => `silence(${this.#ms / SECOND} s)`;

  async run(model: Model, { database, world, onStep }: Real): Promise<void> {
    await pass(model, database, this.#ms);
    const from = Math.max(model.deployments.length - RECENT, 0);
    for (let number = from; number < model.deployments.length; number++) {
      const deployment = model.deployments[number] as ModelDeployment;
      rules.runTimer(model, deployment);
      await world.runTimer(number);
      rules.deploymentTimer(model, deployment);
      await world.deploymentTimer(number);
    }
    same(`after ${this}`, (await world.state()).join("\n"), stateOf(model).join("\n"));
    onStep();
  }
}

/** What was carried out is carried out again, and nothing may come of it. */
class Repeat implements Command {
  check = () => true;
  toString = () => "repeat";

  async run(model: Model, { world, onStep }: Real): Promise<void> {
    await world.repeat();
    same("after a repeat", (await world.state()).join("\n"), stateOf(model).join("\n"));
    onStep();
  }
}

async function pass(model: Model, database: BenchDatabase, ms: number): Promise<void> {
  model.now += ms;
  await moveClock(database, ms);
}

function same(what: string, found: string, expected: string): void {
  if (found !== expected) throw new Error(`${what}:\n${found}\n--- and by the rules\n${expected}`);
}

const on =
  (at: number, act: (deployment: ModelDeployment, number: number, model: Model) => Act) =>
  (model: Model): Act | null => {
    const number = which(model, at);
    return number === null ? null : act(model.deployments[number] as ModelDeployment, number, model);
  };

const accept = (at: number, stranger: boolean) =>
  on(at, (deployment, number) => {
    const by = stranger ? -1 : rules.lastRun(deployment).claim;
    return {
      name: `accept(${number}${stranger ? ", by a stranger" : ""})`,
      model: (model) => rules.accept(model, model.deployments[number] as ModelDeployment, by),
      real: (world) => world.accept(number, by),
    };
  });

const done = (at: number, report: Report) =>
  on(at, (deployment, number) => {
    const by = rules.lastRun(deployment).claim;
    return {
      name: `done(${number}, ${report})`,
      model: (model) => rules.done(model, model.deployments[number] as ModelDeployment, by, report),
      real: (world) => world.done(number, by, report),
    };
  });

const acknowledge = (at: number) =>
  on(at, (deployment, number) => {
    const by = rules.lastRun(deployment).claim;
    return {
      name: `acknowledge(${number})`,
      model: (model) => rules.acknowledge(model.deployments[number] as ModelDeployment, by),
      real: (world) => world.acknowledge(number, by),
    };
  });

const decide = (at: number, kind: DecisionName, samePlan: boolean) =>
  on(at, (_deployment, number) => ({
    name: `${kind}(${number}${samePlan ? "" : ", another plan"})`,
    model: (model) => rules.decide(model, model.deployments[number] as ModelDeployment, kind, samePlan),
    real: (world) => world.decide(number, kind, samePlan),
  }));

const timer = (at: number, of: "run" | "deployment") =>
  on(at, (_deployment, number) => ({
    name: `timer of ${of}(${number})`,
    model: (model) => {
      const deployment = model.deployments[number] as ModelDeployment;
      return of === "run" ? rules.runTimer(model, deployment) : rules.deploymentTimer(model, deployment);
    },
    real: (world) => (of === "run" ? world.runTimer(number) : world.deploymentTimer(number)),
  }));

type Acting = (model: Model) => Act | null;

/** What leads on for one of those that can go on. */
const onward = (at: number) => (model: Model) => {
  const next = (deployment: ModelDeployment, number: number): Acting | null => {
    // By how it is named from behind, which is how the others choose theirs.
    const at = model.deployments.length - 1 - number;
    if (deployment.status === "waiting") return decide(at, "confirm", true);
    const { status } = rules.lastRun(deployment);
    if (status === "assigned") return accept(at, false);
    return status === "running" ? done(at, "changes") : null;
  };
  const from = Math.max(model.deployments.length - RECENT, 0);
  const recent = model.deployments.slice(from);
  const ways = recent.flatMap((deployment, index) => next(deployment, from + index) ?? []);
  return ways.length === 0 ? null : (ways[at % ways.length] as Acting)(model);
};

const hold = (stack: number, held: boolean) => (): Act => ({
  name: `${held ? "hold" : "release"}(${stack})`,
  model: (model) => rules.hold(model, stack, held),
  real: (world) => world.hold(stack, held),
});

const create = (stack: number, mode: rules.Mode) => (): Act => ({
  name: `create(${stack}, ${mode})`,
  model: (model) => rules.create(model, stack, mode),
  real: (world) => world.create(stack, mode),
});

const at = fc.nat({ max: 1_000 });
const samePlan = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
const DECISION_NAMES = [
  "confirm",
  "replan",
  "confirm_skip",
  "skip",
  "cancel",
  "force",
  "prioritize",
  "deprioritize",
] as const;
const REPORTS = ["changes", "changes", "nothing", "failure", "cancelled"] as const;

const decision = fc
  .tuple(at, fc.constantFrom(...DECISION_NAMES), samePlan)
  .map(([n, kind, same]) => decide(n, kind, same));
const acceptance = fc.tuple(at, fc.nat({ max: 9 })).map(([n, odd]) => accept(n, odd === 0));
const report = fc.tuple(at, fc.constantFrom(...REPORTS)).map(([n, what]) => done(n, what));
const timing = fc.tuple(at, fc.constantFrom("run" as const, "deployment" as const)).map(([n, of]) => timer(n, of));
/** What changes what is there; two of them may meet. */
const acting: fc.Arbitrary<Acting> = fc.oneof(
  { weight: 5, arbitrary: decision },
  {
    weight: 3,
    arbitrary: fc
      .tuple(at, fc.constantFrom("confirm" as const, "cancel" as const))
      .map(([n, kind]) => decide(n, kind, true)),
  },
  { weight: 6, arbitrary: acceptance },
  { weight: 6, arbitrary: report },
  { weight: 1, arbitrary: at.map(acknowledge) },
  { weight: 3, arbitrary: timing },
  { weight: 8, arbitrary: at.map(onward) },
);

/** @param stacks how many there are */
export function commandsOf(stacks: number): fc.Arbitrary<Command>[] {
  const stack = fc.nat({ max: stacks - 1 });
  const mode = fc.constantFrom(
    "plan" as const,
    "plan" as const,
    "plan" as const,
    "destroy" as const,
    "plan_unlocked" as const,
  );
  const claim = fc.constant(null).map(() => new Claim());
  const step = acting.map((act) => new Step(act));
  const time = fc.constantFrom(SECOND, 30 * SECOND, 121 * SECOND, 601 * SECOND, 3_601 * SECOND, 4 * 3_601 * SECOND);
  const silence = fc.constantFrom(121 * SECOND, 121 * SECOND, 121 * SECOND, 601 * SECOND, 3_601 * SECOND);
  const meeting = fc.tuple(acting, acting).map(
    ([one, two]) =>
      new Together((model) => {
        const [first, second] = [one(model), two(model)];
        return first === null || second === null ? null : [first, second];
      }),
  );
  // What leads on comes often, or few lives would be long.
  return [
    ...Array.from({ length: 3 }, () => fc.tuple(stack, mode).map(([n, of]) => new Step(create(n, of)))),
    ...Array.from({ length: 5 }, () => claim),
    ...Array.from({ length: 12 }, () => step),
    ...Array.from({ length: 3 }, () => meeting),
    time.map((ms) => new Pass(ms)),
    ...Array.from({ length: 2 }, () => silence.map((ms) => new Silence(ms))),
    fc.tuple(stack, fc.boolean()).map(([n, held]) => new Step(hold(n, held))),
    fc.constant(null).map(() => new Repeat()),
  ];
}

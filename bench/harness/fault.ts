/**
 * A fault on purpose: `BENCH_FAULT` names one that a bench knows, and then the bench has to miss a bar. So it is known
 * that its checks can fail.
 */

/** @throws on a name that the bench does not know */
export function faultOf<F extends string>(known: readonly F[], env: NodeJS.ProcessEnv = process.env): F | null {
  const name = env.BENCH_FAULT;
  if (name === undefined || name === "") return null;
  const fault = known.find((one) => one === name);
  if (fault === undefined) throw new Error(`BENCH_FAULT=${name} is none of ${known.join(", ")}`);
  return fault;
}

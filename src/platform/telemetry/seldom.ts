/** An outage makes the same failure many times a second; an operator needs to hear of it now and then. */
export function seldom(onError: (error: unknown) => void, quietMs: number): (error: unknown) => void {
  let quietUntil = 0;
  return (error) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + quietMs;
    onError(error);
  };
}

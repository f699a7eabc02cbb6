/** A console whose runs a test carries out itself, as a runner: what is planned and logged is up to it. */
import { consoleTest } from "./consoleTest.ts";
import { coordinator, runner, startRunnerApi } from "./runnerApi.ts";

export function consoleRunsTest() {
  return consoleTest().extend("running", { scope: "file" }, async ({ world }, { onCleanup }) => {
    const { api, shown } = world;
    const { objects, keyring } = api;
    const runners = await startRunnerApi(api.database, { objects, keyring, artifactBytes: 100_000_000 });
    onCleanup(() => runners.close());
    /** A deployment of a stack of this name, whose first run a runner has accepted. */
    return async (name: string, message = name) => {
      const stack = await shown.stack(name);
      const id = await shown.deploy(stack, message);
      const at = await runner(runners, shown.org, await (await coordinator(runners, shown.org)).claim(5));
      const accepted = await at.accept();
      if (accepted.status !== 200) throw new Error(`accept answered ${accepted.status}: ${await accepted.text()}`);
      return { at, stack, id, path: `/orgs/${world.org}/stacks/${stack.slug}/deployments/${id}` };
    };
  });
}

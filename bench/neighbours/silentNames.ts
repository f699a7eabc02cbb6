/**
 * Loaded before a program of the bench (`node --import`): names are asked of the name server that the bench started,
 * which never answers.
 */
import { promises as dns } from "node:dns";

const server = process.env.BENCH_NAME_SERVER;
if (server !== undefined) {
  const asked = server;
  dns.Resolver = class extends dns.Resolver {
    constructor(...options: ConstructorParameters<typeof dns.Resolver>) {
      super(...options);
      this.setServers([asked]);
    }
  };
}

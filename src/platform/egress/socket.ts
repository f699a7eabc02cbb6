/** A connection for what is not HTTP, to an address that was checked as every other is. */
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { type EgressPolicy, mayConnect } from "./addresses.ts";
import { EgressRefusedError } from "./errors.ts";
import type { Resolve } from "./resolver.ts";

export interface SocketCall {
  host: string;
  port: number;
  /** Of public addresses, besides those that the operator opened: what the protocol uses everywhere. */
  ports: readonly number[];
  /** The operator named the host: it may be anywhere. */
  trusted?: boolean;
  /** Ends the attempt, not what is open. */
  signal: AbortSignal;
}

type Checks = {
  policy: EgressPolicy;
  resolve: Resolve;
  onRefused: (host: string, port: number, addresses: readonly string[]) => void;
};

/** @throws EgressRefusedError; the socket's error; the signal's reason */
export async function openSocket({ policy, resolve, onRefused }: Checks, call: SocketCall): Promise<Socket> {
  const { host, port, ports, trusted = false, signal } = call;
  const widened = { ...policy, ports: [...policy.ports, ...ports] };
  const allowed = (address: string) => trusted || mayConnect(widened, address, port);
  if (isIP(host) && !allowed(host)) {
    onRefused(host, port, [host]);
    throw new EgressRefusedError("port_or_address");
  }
  const lookup = checkedLookup(resolve, allowed, (name, addresses) => onRefused(name, port, addresses));
  const socket = connect({ host, port, lookup, autoSelectFamily: true });
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

/** What a name leads to, without what may not be called. */
export function checkedLookup(
  resolve: Resolve,
  allowed: (address: string) => boolean,
  onRefused: (host: string, addresses: string[]) => void,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const usable = found.filter((one) => allowed(one.address));
        const first = usable[0];
        if (first === undefined) {
          const addresses = found.map(({ address }) => address);
          onRefused(host, addresses);
          callback(new EgressRefusedError("port_or_address"), "", 0);
        } else if (options.all) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

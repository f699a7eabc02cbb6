/** Where e-mails go: a real SMTP server that keeps what it gets and refuses what a test says. */
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { LOCAL_AUTHORITY, LOCAL_CERTIFICATE, LOCAL_KEY } from "./localCertificate.ts";

export type ReceivedMail = {
  from: string;
  to: string[];
  /** As it came. */
  raw: string;
  secure: boolean;
  user: string | null;
};
type Stage = "auth" | "from" | "rcpt" | "data";

export class MailServer {
  readonly received: ReceivedMail[] = [];
  connections = 0;
  /** The code that a stage is refused with; null: taken. */
  refuse: (stage: Stage, address: string) => number | null = () => null;
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      ...{ key: LOCAL_KEY, cert: LOCAL_CERTIFICATE, authOptional: true, logger: false, closeTimeout: 100 },
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onAuth: ({ username, password }, _session, done) => {
        const code = this.refuse("auth", username ?? "") ?? (password === "s3cret" ? null : 535);
        if (code !== null) done(refusal(code));
        else done(null, { user: username });
      },
      onMailFrom: ({ address }, _session, done) => done(this.#refusal("from", address)),
      onRcptTo: ({ address }, _session, done) => done(this.#refusal("rcpt", address)),
      onData: async (stream, { envelope, secure, user }, done) => {
        const raw = Buffer.concat(await stream.toArray()).toString("utf8");
        const refused = this.#refusal("data", "");
        if (refused === null) {
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
          this.received.push({
            from,
            to: envelope.rcptTo.map(({ address }) => address),
            raw,
            secure,
            user: user ?? null,
          });
        }
        done(refused);
      },
      ...options,
    });
    // A client that does not trust the certificate says so by leaving.
    this.#server.on("error", () => {});
  }

  static async start(options: SMTPServerOptions = {}, host = "127.0.0.1"): Promise<MailServer> {
    const server = new MailServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, host, resolve));
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #refusal(stage: Stage, address: string): Error | null {
    const code = this.refuse(stage, address);
    return code === null ? null : refusal(code);
  }
}

/** This process trusts the authority of `localhost` from now on. */
export function trustLocalAuthority(): void {
  setDefaultCACertificates([...getCACertificates("default"), LOCAL_AUTHORITY]);
}

function refusal(responseCode: number): Error {
  return Object.assign(new Error("not today, canary"), { responseCode });
}

/** What a command has begun, and answers for until it ends. */
import type { Session } from "../service/session.ts";
import { HeldNote } from "./held.ts";
import { remains } from "./remains.ts";
import type { DeploymentPath } from "./watch.ts";

export class Holding implements Disposable {
  readonly #note: HeldNote;
  #begun: { session: Session; path: DeploymentPath } | null = null;
  #creatingOf: string | null = null;
  #status = "";
  #wouldWait = false;

  constructor(folder: string) {
    this.#note = new HeldNote(folder);
  }

  /** It was begun here and nobody has said yes yet: left alone, its plan would wait for somebody who is gone. */
  get wouldWait(): boolean {
    return this.#wouldWait;
  }

  get begun(): { session: Session; path: DeploymentPath } | null {
    return this.#begun;
  }

  creating({ host, orgId }: Pick<Session, "host" | "orgId">, stackId: string, wouldWait: boolean): void {
    this.#creatingOf = stackId;
    this.#wouldWait = wouldWait;
    if (wouldWait) this.#note.write({ host, orgId, stackId, id: null });
  }

  watching(session: Session, path: DeploymentPath): void {
    this.#begun = { session, path };
    const { host, orgId } = session;
    if (this.#wouldWait) this.#note.write({ host, orgId, ...path });
  }

  /** How it stands. What is applied waits for nobody any more. */
  sees({ status }: { status: string }): void {
    this.#status = status;
    if (status === "applying") this.#wouldWait = false;
  }

  /** What is left behind when the command ends now, and what to do about it. */
  remains(): [what: string, hint: string] {
    const begun = this.#begun?.path ?? null;
    return remains({ begun, creatingOf: this.#creatingOf, status: this.#status, wouldWait: this.#wouldWait });
  }

  [Symbol.dispose](): void {
    this.#note.remove();
  }
}

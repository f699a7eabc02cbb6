/** Where a stream of output goes. */
export interface Sink {
  write(bytes: Buffer): void;
  end(): void;
}

export const NOWHERE: Sink = { write: () => {}, end: () => {} };

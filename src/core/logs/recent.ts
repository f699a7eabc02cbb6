/** Values that never change, read once for all who ask at the same time, the most recently used ones kept. */
export class Recent<T> {
  readonly #capacity: number;
  /** In order of use, oldest first. */
  readonly #values = new Map<string, Promise<T>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @param isKeepable a value for which it is false is forgotten as soon as it is there */
  async get(key: string, read: () => Promise<T>, isKeepable: (value: T) => boolean = () => true): Promise<T> {
    const present = this.#values.get(key);
    if (present !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, present);
      return present;
    }
    const reading = read();
    this.#values.set(key, reading);
    if (this.#values.size > this.#capacity) this.#forget(this.#values.keys().next().value as string);
    try {
      const value = await reading;
      if (!isKeepable(value)) this.#forget(key, reading);
      return value;
    } catch (error) {
      this.#forget(key, reading);
      throw error;
    }
  }

  #forget(key: string, only?: Promise<T>): void {
    if (only === undefined || this.#values.get(key) === only) this.#values.delete(key);
  }
}

import type { Vault } from './vault.ts';

/** Values computed from an open vault, cached while it is open. */
export class Derived {
  readonly #values = new Map<unknown, unknown>();

  /** Returns the result of a function of the vault, computed on first use. The function is the cache key. */
  get<T>(make: (vault: Vault) => T, vault: Vault): T {
    if (!this.#values.has(make)) this.#values.set(make, make(vault));
    return this.#values.get(make) as T;
  }

  /** Closes the values that have a `close` and clears the cache. */
  async close(): Promise<void> {
    const values = [...this.#values.values()];
    this.#values.clear();
    await Promise.all(values.map(async (each) => (isClosable(each) ? await each.close() : undefined)));
  }
}

function isClosable(value: unknown): value is { close(): void | Promise<void> } {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}

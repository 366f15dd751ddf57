import type { Vault } from './vault.ts';

/** What is worked out from an open vault and kept as long as it is open. */
export class Derived {
  readonly #kept = new Map<unknown, unknown>();

  /** What a function makes of the vault, made when it is first asked for. The function is the key. */
  get<T>(make: (vault: Vault) => T, vault: Vault): T {
    if (!this.#kept.has(make)) this.#kept.set(make, make(vault));
    return this.#kept.get(make) as T;
  }

  /** Closes what can be closed, and forgets everything. */
  async close(): Promise<void> {
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(kept.map(async (each) => (isClosable(each) ? await each.close() : undefined)));
  }
}

function isClosable(value: unknown): value is { close(): void | Promise<void> } {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}

import type { SharedVault } from './shared-vault.ts';

/** The connection of a working copy to its store, made when it is first needed, and the notices of commits. */
export class StoreConnection {
  /** The last commit that a notice named; infinite after a notice that names none. */
  newestSeq = 0;
  #connecting: Promise<SharedVault> | null = null;
  #onNotice: (() => void) | null = null;
  #isFollowing = false;
  readonly #connect: () => Promise<SharedVault>;
  readonly #signal: AbortSignal;

  /** `signal`: ends the notices. */
  constructor(connect: () => Promise<SharedVault>, signal: AbortSignal) {
    this.#connect = connect;
    this.#signal = signal;
  }

  /** Returns the store. After a failure, the next call connects again. */
  get(): Promise<SharedVault> {
    return (this.#connecting ??= this.#connect().then(
      (shared) => {
        this.#follow(shared);
        return shared;
      },
      (error: unknown) => {
        this.#connecting = null;
        throw error;
      },
    ));
  }

  /** Returns the store if it was asked for and could be reached. */
  async getIfOpen(): Promise<SharedVault | undefined> {
    return this.#connecting?.catch(() => undefined);
  }

  /** Calls the listener on each notice from now on, or as soon as the store is reached. */
  startNotices(onNotice: () => void): void {
    this.#onNotice = onNotice;
    this.#connecting?.then(
      (shared) => this.#follow(shared),
      () => undefined,
    );
  }

  /** Does not start notices any more. */
  stopNotices(): void {
    this.#onNotice = null;
  }

  #follow(shared: SharedVault): void {
    const onNotice = this.#onNotice;
    if (onNotice === null || this.#isFollowing) return;
    this.#isFollowing = true;
    shared.followers.follow((seq) => {
      this.newestSeq = Math.max(this.newestSeq, seq ?? Infinity);
      onNotice();
    }, this.#signal);
  }
}

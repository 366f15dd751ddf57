import type { FileSystem, FolderEntry } from '../../folder/file-system.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import { isWaiting, LOCK, markName, parseTicket, waitersIn } from './ticket.ts';

/**
 * How long the first in line may leave the lock free before those behind it go on without it: it is stopped, or has no CPU. Each of them
 * waits for this time for each one ahead of it, so that they keep their order.
 */
const MAX_HESITATION_MS = 500;

/**
 * The place of one call in the line of those that wait for the writer lock: a mark in its folder. The line decides who may try to take the
 * lock, and nothing else: a mistake about it costs the order, never the exclusion.
 */
export class PlaceInLine {
  readonly #self: ProcessIdentity;
  readonly #nonce: string;
  #mark: string | null = null;
  /** The last ticket that was seen free, and since when it is. */
  #free = { number: 0, since: 0 };

  constructor(self: ProcessIdentity, nonce: string) {
    this.#self = self;
    this.#nonce = nonce;
  }

  /** Whether this call has a mark, as far as it knows. */
  get isTaken(): boolean {
    return this.#mark !== null;
  }

  /** Returns the name of the mark right ahead of this one; null if this call is the first in line. `listed`: what is in the folder. */
  findAhead(files: FileSystem, listed: readonly FolderEntry[]): string | null {
    const all = waitersIn(listed);
    const own = all.findIndex(({ name }) => name === this.#mark);
    // Another process has gone on without this one, which now stands at the end.
    if (own === -1) this.#mark = null;
    const ahead = (own === -1 ? all : all.slice(0, own)).map(({ name }) => name).filter((name) => isWaiting(files, name, this.#self));
    if (ahead.length === 0 || !this.#isHesitating(listed, ahead.length)) return ahead.at(-1) ?? null;
    for (const name of ahead) removeIfThere(files, `${LOCK}/${name}`);
    return null;
  }

  /** Takes the last place if this call has none. */
  async take(files: FileSystem): Promise<void> {
    if (this.#mark !== null) return;
    const last = waitersIn(files.list(LOCK) ?? []).at(-1)?.place ?? 0;
    const mark = markName({ pid: this.#self.record.pid, place: last + 1, nonce: this.#nonce });
    await writeNewFile(files, { path: `${LOCK}/${mark}`, bytes: Buffer.alloc(0), like: null, isSynced: false });
    this.#mark = mark;
  }

  leave(files: FileSystem): void {
    if (this.#mark !== null) removeIfThere(files, `${LOCK}/${this.#mark}`);
  }

  /** Whether the lock has been free for too long, with so many ahead of this call. */
  #isHesitating(listed: readonly FolderEntry[], ahead: number): boolean {
    const tickets = listed.flatMap(parseTicket);
    const top = Math.max(0, ...tickets.map(({ number }) => number));
    const number = tickets.some((ticket) => ticket.number === top && ticket.isFree) ? top : -1;
    if (number === -1 || this.#free.number !== number) this.#free = { number, since: performance.now() };
    return number !== -1 && performance.now() - this.#free.since > ahead * MAX_HESITATION_MS;
  }
}

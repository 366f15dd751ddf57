import { join } from 'node:path';
import { errorMessage, RouxError } from '../../errors.ts';
import { findCheckout, findElsewhere, findNoteElsewhere, listNotesElsewhere } from '../../git/worktrees.ts';
import type { Checkout, NoteElsewhere } from '../../git/worktrees.ts';
import type { Claim } from '../../graph/tasks/task-note.ts';
import { fileName } from '../../note/path.ts';
import { openSharedText } from '../../store/shared-text.ts';
import type { SharedText } from '../../store/shared-text.ts';
import type { Vault } from '../vault.ts';
import { NO_CLAIMS, parseClaims } from './claims-text.ts';
import type { ClaimChange, ClaimEvent, ClaimsContent, Resolution } from './claims-text.ts';

/** Claims and events that are kept; the oldest are dropped. */
const MAX_CLAIMS = 5_000;
const MAX_EVENTS = 1_000;
const MAX_RESOLVED = 1_000;
/** Each attempt but the last was overtaken by another process. */
export const MAX_ATTEMPTS = 100;

/** A task that a call resolves or opens again, with the path of its note. */
interface Settled {
  readonly id: string;
  readonly path: string;
  readonly isResolved: boolean;
}

/** A task that another worktree resolved. */
interface ResolvedElsewhere {
  /** Its id. */
  readonly task: string;
  /** The branch that is checked out there. */
  readonly branch: string;
  /** Its note there, which says whether it still is resolved, once it is written. */
  readonly note: NoteElsewhere;
  /** When that was, in milliseconds since 1970 UTC. */
  readonly atMs: number;
}

/** In the folder of git that all worktrees share. */
const PLACE = { folder: 'roux', name: 'claims' };

/**
 * The claims of a vault in a git repository. They are in the folder of git that all worktrees share, so that a claim changes no file of a
 * worktree and is seen in all of them. A task is the same one in all worktrees if its id and the vault's place are.
 */
export class SharedClaims {
  readonly #text: SharedText;
  readonly #folder: string;
  readonly #vault: string;
  readonly #checkout: Checkout;
  #version = -1;
  #problem: string | null = null;
  #content: ClaimsContent = NO_CLAIMS;
  #claims: ReadonlyMap<string, Claim> = new Map();
  /** Where tasks are resolved, by their ids. */
  #resolved: ReadonlyMap<string, Resolution> = new Map();
  #isFresh = false;

  constructor(checkout: Checkout) {
    const { common, vault } = checkout;
    this.#checkout = checkout;
    this.#text = openSharedText(common, PLACE);
    this.#folder = join(common, PLACE.folder);
    this.#vault = vault;
  }

  /** Why the claims cannot be read, and what to do; null if they can. They count as none then. */
  get problem(): string | null {
    this.current();
    return this.#problem;
  }

  /** Returns the claims by the ids of tasks, the same map as long as nothing changed. Looks at the file once in a turn of the event loop. */
  current(): ReadonlyMap<string, Claim> {
    if (!this.#isFresh) {
      this.look();
      this.#isFresh = true;
      setImmediate(() => (this.#isFresh = false)).unref();
    }
    return this.#claims;
  }

  /** Increases with every change. */
  get version(): number {
    this.current();
    return this.#version;
  }

  /** Reads what other processes changed. */
  look(): void {
    try {
      const { version, text } = this.#text.read();
      this.#problem = null;
      if (version !== this.#version) this.#take(version, parseClaims(text));
    } catch (error) {
      this.#problem = `${this.#describe('read', error)} Until then claims of tasks in it count as none.`;
      if (this.#version >= 0) this.#take(-1, NO_CLAIMS);
    }
  }

  #take(version: number, content: ClaimsContent): void {
    this.#content = content;
    this.#claims = new Map(Object.entries(content.claims[this.#vault] ?? {}));
    this.#resolved = new Map(Object.entries(content.resolved[this.#vault] ?? {}));
    this.#version = version;
  }

  #describe(what: 'read' | 'written', error: unknown): string {
    return `The claims in ${this.#folder} cannot be ${what} (${errorMessage(error)}): make it a folder of this user that holds only files of roux, or remove it.`;
  }

  /** Returns the latest changes of claims, newest first. */
  events(): readonly ClaimEvent[] {
    this.current();
    return this.#content.events.filter((event) => event.vault === this.#vault).toReversed();
  }

  /**
   * Returns the tasks that are meant and that another worktree resolved, with their notes there. A note that was moved there below a folder is
   * looked for by its file name, and may be several. Those of worktrees and notes that are gone are left out.
   */
  resolvedElsewhere(isMeant: (task: string) => boolean, folder: string): readonly ResolvedElsewhere[] {
    this.current();
    const trees = new Map<string, Elsewhere | null>();
    return [...this.#resolved].flatMap(([task, { tree, path, atMs = 0 }]) => {
      if (tree === this.#checkout.tree || !isMeant(task)) return [];
      const known = trees.get(tree);
      const elsewhere = known === undefined ? openElsewhere(this.#checkout, { tree, folder }) : known;
      trees.set(tree, elsewhere);
      return elsewhere === null ? [] : elsewhere.find(path).map((note) => ({ task, branch: elsewhere.branch, note, atMs }));
    });
  }

  /**
   * Changes claims as they were at the last look, and keeps where tasks are resolved now. Returns null if others changed some since, and
   * changes nothing then; otherwise a function that puts back those that nobody changed after it, for a call that fails later. Throws
   * `IO_ERROR` if they cannot be written.
   */
  replace(
    { claims: changes, settled }: { readonly claims: readonly ClaimChange[]; readonly settled: readonly Settled[] },
    { agent, at }: Pick<ClaimEvent, 'agent' | 'at'>,
  ): (() => void) | null {
    const [before, known, marks] = [this.#claims, this.#content.events, this.#resolved];
    const { tree } = this.#checkout;
    const atMs = Date.parse(at);
    const events = changes.map((change) => ({ ...change, vault: this.#vault, at, agent }));
    const places = settled.map(({ id, path, isResolved }): Mark => [id, isResolved ? { tree, path, atMs } : null]);
    if (!this.#write(changes, [...known, ...events], places)) return null;
    const isOwn = (event: ClaimEvent): boolean =>
      events.some((own) => own.task === event.task && own.at === event.at && own.agent === event.agent);
    return () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        this.look();
        const unchanged = changes.filter(({ task, after }) => isSame(this.#claims.get(task) ?? null, after));
        const back = unchanged.map(({ task, after }) => ({ task, before: after, after: before.get(task) ?? null }));
        if (
          this.#write(
            back,
            this.#content.events.filter((event) => !isOwn(event)),
            places.flatMap(([id, place]): readonly Mark[] =>
              isSamePlace(this.#resolved.get(id) ?? null, place) ? [[id, marks.get(id) ?? null]] : [],
            ),
          )
        )
          return;
      }
    };
  }

  #write(changes: readonly ClaimChange[], events: ClaimsContent['events'], marks: readonly Mark[]): boolean {
    const claims = new Map(this.#claims);
    for (const { task, after } of changes) {
      claims.delete(task);
      if (after !== null) claims.set(task, after);
    }
    const places = new Map(this.#resolved);
    for (const [id, place] of marks) {
      places.delete(id);
      if (place !== null) places.set(id, place);
    }
    const content: ClaimsContent = {
      claims: { ...this.#content.claims, [this.#vault]: Object.fromEntries([...claims].slice(-MAX_CLAIMS)) },
      resolved: { ...this.#content.resolved, [this.#vault]: Object.fromEntries([...places].slice(-MAX_RESOLVED)) },
      events: events.slice(-MAX_EVENTS),
    };
    if (this.#problem !== null) throw new RouxError('IO_ERROR', this.#problem, { path: this.#folder });
    this.#isFresh = false;
    try {
      const isReplaced = this.#text.replace(Math.max(0, this.#version), JSON.stringify(content));
      if (isReplaced) this.look();
      return isReplaced;
    } catch (error) {
      throw new RouxError('IO_ERROR', `${this.#describe('written', error)} Nothing was changed.`, { path: this.#folder }, { cause: error });
    }
  }
}

interface Elsewhere {
  readonly branch: string;
  /** Finds a note by its path, else by its file name. */
  readonly find: (path: string) => readonly NoteElsewhere[];
}

function openElsewhere(checkout: Checkout, { tree, folder }: { readonly tree: string; readonly folder: string }): Elsewhere | null {
  const vault = findElsewhere(checkout, tree);
  if (vault === null) return null;
  let listed: ReturnType<typeof listNotesElsewhere> | null = null;
  return {
    branch: vault.branch,
    find: (path) => {
      const note = findNoteElsewhere(vault, path);
      if (note !== null) return [note];
      const moved = (listed ??= listNotesElsewhere(vault, folder)).get(fileName(path)) ?? [];
      return moved.flatMap((each) => findNoteElsewhere(vault, each) ?? []);
    },
  };
}

/** Where a task is resolved from now on; null for nowhere. */
type Mark = readonly [task: string, place: Resolution | null];

function isSamePlace(one: Resolution | null, other: Resolution | null): boolean {
  return one?.tree === other?.tree && one?.path === other?.path && one?.atMs === other?.atMs;
}

function isSame(one: Claim | null, other: Claim | null): boolean {
  return one === other || (one?.by === other?.by && one?.atMs === other?.atMs && one?.session === other?.session);
}

/** Where the claims of a vault are: a repository may appear or go while it is served. */
class ClaimPlace {
  readonly #vault: Vault;
  #place: string | null = null;
  #claims: SharedClaims | null = null;
  #isFresh = false;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  current(): SharedClaims | null {
    if (!this.#isFresh) {
      this.look();
      this.#isFresh = true;
      setImmediate(() => (this.#isFresh = false)).unref();
    }
    return this.#claims;
  }

  look(): SharedClaims | null {
    const { isShared, root } = this.#vault.settings;
    // Machines that share a vault see its notes alone.
    const found = isShared ? null : findCheckout(root);
    const place = found?.identity ?? null;
    if (place !== this.#place) this.#claims = found === null ? null : new SharedClaims(found);
    this.#place = place;
    return this.#claims;
  }
}

const openPlace = (vault: Vault): ClaimPlace => new ClaimPlace(vault);

/** Returns the claims of a vault in a git repository; null elsewhere, where claims are in the notes. Looked for once in a turn of the event loop. */
export function sharedClaimsOf(vault: Vault): SharedClaims | null {
  return vault.derived(openPlace).current();
}

/** Returns them as they are right now, for whoever changes them. */
export function lookAtClaims(vault: Vault): SharedClaims | null {
  const claims = vault.derived(openPlace).look();
  claims?.look();
  return claims;
}

import { every } from '../../../at-rest/every.ts';
import { CLAIM_KEYS } from '../../../graph/tasks/task-note.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import { sharedClaimsOf } from '../../../vault/claims/shared-claims.ts';
import type { SharedClaims } from '../../../vault/claims/shared-claims.ts';
import type { Vault } from '../../../vault/vault.ts';
import { sessionStatesOf } from './session-states.ts';

/** How often a process whose clients use no task tools looks whether others were killed. */
const LOOK_MS = 2_000;
/** In every so many looks, it looks whether the vault is in a repository, which asks the system about each folder above. */
const LOOKS_PER_PLACE = 5;

/**
 * Notices in a process whose clients use no task tools that a session which holds tasks has ended without a word, as one that is killed
 * (T-02). It computes no task graph: a look asks the system once for each session that holds something.
 */
export class ClaimWatch {
  readonly #vault: Vault;
  readonly #onEnded: () => void;
  readonly #end: () => void;
  #looks = 0;
  #shared: SharedClaims | null = null;
  /** The sessions that hold tasks by their notes, as of a version of the graph. */
  #known: { readonly version: number; readonly sessions: ReadonlySet<string> } = { version: -1, sessions: new Set() };

  /** `onEnded` is called once. */
  constructor(vault: Vault, onEnded: () => void) {
    this.#vault = vault;
    this.#onEnded = onEnded;
    this.#end = every(LOOK_MS, () => this.look());
    this.look();
  }

  look(): void {
    const states = sessionStatesOf(this.#vault);
    if (![...this.#holders()].some((session) => states.stateOf(session) === 'ended')) return;
    this.close();
    this.#onEnded();
  }

  close(): void {
    this.#end();
  }

  /** Returns the sessions that hold open tasks. */
  #holders(): ReadonlySet<string> {
    const { graph } = this.#vault;
    if (this.#looks % LOOKS_PER_PLACE === 0) this.#shared = sharedClaimsOf(this.#vault);
    this.#looks += 1;
    if (this.#shared === null) return this.#inNotes();
    const isOpenTask = (id: string): boolean => {
      const found = graph.lookup(id);
      return found.kind === 'found' && isOpen(found.entry);
    };
    return new Set([...this.#shared.current()].flatMap(([id, { session }]) => (session !== null && isOpenTask(id) ? [session] : [])));
  }

  #inNotes(): ReadonlySet<string> {
    const { graph, settings } = this.#vault;
    if (this.#known.version === graph.version) return this.#known.sessions;
    const sessions = new Set<string>();
    for (const entry of graph.entries({ under: settings.config.tasks.root, includeHidden: true })) {
      // Few notes name a session; the properties of the others are not decoded.
      const mayHold = entry.yaml === undefined || entry.yaml.includes(CLAIM_KEYS.session);
      const session = mayHold && isOpen(entry) ? sessionIn(entry) : null;
      if (session !== null) sessions.add(session);
    }
    this.#known = { version: graph.version, sessions };
    return sessions;
  }
}

function isOpen({ properties }: NoteEntry): boolean {
  return properties['resolved'] !== true;
}

function sessionIn({ properties: own }: NoteEntry): string | null {
  const map = own['properties'];
  const session = (isPropertyMap(map) ? map[CLAIM_KEYS.session] : undefined) ?? own[CLAIM_KEYS.session];
  return typeof session === 'string' ? session : null;
}

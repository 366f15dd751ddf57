import type { GraphChange, NoteEntry } from '../../graph/view.ts';
import type { Vault } from '../../vault/vault.ts';
import { NameList } from './similar-names.ts';

/** Changed notes that a search examines one by one; with more, the list of names is built again. */
const MAX_CHANGED = 1_000;

/** Which notes are meant, and by which names. */
export interface NamedNotesSource {
  readonly vault: Vault;
  /** Returns the notes that may have names; hidden ones are left out. */
  all(): Iterable<NoteEntry>;
  /** Returns the names of a note; none for a note of another kind. */
  names(entry: NoteEntry): readonly string[];
}

/** The names of some notes: read when the first name is unknown, then kept in step with the graph. */
export class NamedNotes {
  readonly #source: NamedNotesSource;
  readonly #unsubscribe: () => void;
  /** Paths that changed since the list was built. */
  readonly #changed = new Set<string>();
  #list: NameList<NoteEntry> | null = null;

  constructor(source: NamedNotesSource) {
    this.#source = source;
    this.#unsubscribe = source.vault.graph.onChange((changes) => this.#follow(changes));
  }

  /** Returns the notes whose names are nearest to a name, the nearest first. `isWanted`: others are left out. */
  search(wanted: string, limit: number, isWanted: (entry: NoteEntry) => boolean = () => true): readonly NoteEntry[] {
    this.#list ??= this.#listOf(this.#source.all());
    const known = this.#list.search(wanted, limit, (entry) => this.#changed.has(entry.path) || !isWanted(entry));
    if (this.#changed.size === 0) return known;
    const changed = [...this.#changed].flatMap((path) => this.#source.vault.graph.get(path) ?? []);
    return this.#listOf([...known, ...changed]).search(wanted, limit, (entry) => !isWanted(entry));
  }

  close(): void {
    this.#unsubscribe();
  }

  #listOf(entries: Iterable<NoteEntry>): NameList<NoteEntry> {
    const list = new NameList<NoteEntry>();
    for (const entry of entries) {
      if (entry.isHidden) continue;
      for (const name of this.#source.names(entry)) list.add(name, entry);
    }
    return list;
  }

  #follow(changes: readonly GraphChange[]): void {
    if (this.#list === null) return;
    for (const { before, after } of changes) for (const entry of [before, after]) if (entry !== null) this.#changed.add(entry.path);
    if (this.#changed.size <= MAX_CHANGED) return;
    this.#list = null;
    this.#changed.clear();
  }
}

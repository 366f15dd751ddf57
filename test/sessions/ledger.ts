/** A marked text that an agent was told is saved, with the note it went to. */
export interface Saved {
  readonly mark: string;
  /** How the note may be found: its first title. */
  readonly note: string;
  /** Milliseconds: when the call was sent and when it was answered. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A text that a person saved over what they had read before. */
export interface PersonSaved {
  readonly mark: string;
  readonly note: string;
  readonly readAt: number;
  readonly savedAt: number;
}

/** What a note with one owner holds, as its owner knows it. */
export interface OwnNote {
  /** The present title first, then all former ones. */
  readonly titles: readonly string[];
  readonly content: string;
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

/** All that was promised in a run; what the vault is held against at its end. */
export class Ledger {
  /** Lines and properties of notes that several agents write. */
  readonly saved: Saved[] = [];
  readonly personSaved: PersonSaved[] = [];
  /** Notes with one owner. */
  readonly own = new Set<OwnNote>();
  /** Titles of notes that an agent deleted: links to them may lead nowhere. */
  readonly deletedTitles = new Set<string>();
  /** Observations that are there, as `entity: text`, and those that were taken out again. */
  readonly observations = new Set<string>();
  readonly removedObservations = new Set<string>();
  /** Relation types, each used for one relation. */
  readonly relations = new Set<string>();
  readonly entities = new Set<string>();
  readonly removedEntities = new Set<string>();
  /** Summaries of tasks that were planned, and evidence by its mark. */
  readonly tasks = new Set<string>();
  readonly evidence = new Map<string, string>();
  /** Who was given a task; more than one agent is a fault. */
  readonly claims = new Map<string, Set<string>>();
  readonly connections = new Set<string>();
  /** Ids that `ensure_singleton_node` gave. */
  readonly singletons = new Set<string>();
  /** Revisions that were answered for a note that several write, by its first title. */
  readonly revs = new Map<string, number[]>();
  /** What broke a promise while the run went on. */
  readonly faults: string[] = [];
  /** Answers by kind, so that a run that did nothing is noticed. */
  readonly counts = new Map<string, number>();
  #marks = 0;

  /** A word that is nowhere else. */
  mark(kind: string): string {
    this.#marks += 1;
    return `${kind}mark${this.#marks}x`;
  }

  count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}

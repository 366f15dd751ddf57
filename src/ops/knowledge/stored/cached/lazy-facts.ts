import { parseFact } from '../fact-line.ts';
import type { FactLine } from '../fact-line.ts';
import { statementTimes } from '../shapes.ts';
import type { StoredFact } from '../shapes.ts';

/** The facts of an entity as lines. */
export interface FactLines {
  readonly uuids: readonly string[];
  /** In the order of `uuids`. */
  lines(): readonly string[];
  /** The name of the entity. */
  readonly name: string;
  /** System time of facts without one. */
  readonly modified: string;
}

/** The facts of an entity. Each is parsed when it is first asked for: of 100,000 facts a search shows ten. */
export class LazyFacts {
  readonly #from: FactLines;
  readonly #parsed: StoredFact[];
  #lines: readonly string[] | null = null;
  #places: ReadonlyMap<string, number> | null = null;
  #all: readonly StoredFact[] | null = null;

  /** `facts`: those that are parsed already. */
  constructor(from: FactLines, facts: readonly StoredFact[] = []) {
    this.#from = from;
    this.#parsed = [...facts];
  }

  get facts(): readonly StoredFact[] {
    return (this.#all ??= this.#from.uuids.map((_, at) => this.#at(at)));
  }

  get factLines(): readonly string[] {
    return (this.#lines ??= this.#from.lines());
  }

  /** Returns the fact with a uuid; the last one if several lines have it. */
  fact(uuid: string): StoredFact | null {
    this.#places ??= new Map(this.#from.uuids.map((each, at) => [each, at]));
    const at = this.#places.get(uuid);
    return at === undefined ? null : this.#at(at);
  }

  #at(at: number): StoredFact {
    return (this.#parsed[at] ??= this.#parse(at));
  }

  #parse(at: number): StoredFact {
    const [line = '', uuid = ''] = [this.factLines[at], this.#from.uuids[at]];
    const read = parseFact(line);
    if (read === null || 'problem' in read) throw new Error('A cached line is no fact.');
    return completeFact(read.fact, { ...this.#from, line, uuid });
  }
}

/** Completes a fact with what its note says. */
export function completeFact(
  fact: FactLine,
  { uuid, line, name, modified }: Pick<FactLines, 'name' | 'modified'> & { readonly uuid: string; readonly line: string },
): StoredFact {
  const createdAt = fact.createdAt ?? modified;
  const saidAt = fact.saidAt ?? createdAt;
  return {
    ...fact,
    uuid,
    fact: fact.fact ?? `${name} ${fact.name} ${fact.shown ?? fact.linkpath}`,
    createdAt,
    saidAt,
    heldAt: fact.heldAt ?? statementTimes({ ...fact, saidAt }),
    line,
  };
}

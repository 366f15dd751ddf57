import { RouxError } from '../../errors.ts';
import type { JsonMap } from '../extraction.ts';
import { normalizeName } from '../names.ts';

/** An entity as rules find it. */
export interface FoundEntity {
  readonly name: string;
  readonly uuid?: string;
  readonly summary?: string;
  readonly attributes?: JsonMap;
}

/** A fact as rules find it: its ends by name, its times still as they were written. */
export interface FoundFact {
  readonly subject: string;
  readonly relation: string;
  readonly object: string;
  /** What is said; null where that is the three of them alone. */
  readonly text: string | null;
  readonly isNegated: boolean;
  /** As given by a field; null where none was. */
  readonly validAt: string | null;
  readonly invalidAt: string | null;
  /** Further words in which dates may stand, such as those behind the object. */
  readonly times?: string;
  readonly qualifiers?: JsonMap;
}

/** Takes what rules find, in its order. */
export interface Findings {
  entity(entity: FoundEntity): void;
  fact(fact: FoundFact): void;
}

/** `WORKS_AT`, and whether it is said not to hold: `!WORKS_AT`, `not WORKS_AT`. A colon before it, as Cypher has it, is no part of it. */
export function readRelationName(written: string): { readonly relation: string; readonly isNegated: boolean } {
  const [, mark, relation = ''] = /^(!|not(?=\s))?\s*:?(.*)$/is.exec(written.trim()) ?? [];
  return { relation: relation.trim(), isNegated: mark !== undefined };
}

/** What `Alice -[WORKS_AT]-> Acme` says where it says no more. */
export function plainFact({
  subject,
  relation,
  object,
  isNegated,
}: Pick<FoundFact, 'subject' | 'relation' | 'object' | 'isNegated'>): string {
  return `${subject} ${isNegated ? 'not ' : ''}${relation} ${object}`;
}

interface WrittenNode {
  readonly tmp_ref: string;
  name: string;
  uuid?: string;
  summary?: string;
  attributes?: JsonMap;
}

/** Puts entities and facts together as an extraction: an entity once for each normalised name, a fact once for all that it says. */
export class ExtractionDraft {
  readonly #nodes = new Map<string, WrittenNode>();
  readonly #edges = new Map<string, object>();

  get size(): number {
    return Math.max(this.#nodes.size, this.#edges.size);
  }

  /** The `tmp_ref` of an entity, which is added, or told what is new of it: what was said first stands. Throws for a second `uuid`. */
  addEntity({ name, uuid, summary, attributes }: FoundEntity): string {
    const key = normalizeName(name);
    let node = this.#nodes.get(key);
    if (node === undefined) this.#nodes.set(key, (node = { tmp_ref: `n${this.#nodes.size + 1}`, name }));
    if (uuid !== undefined) node.uuid ??= uuid;
    if (uuid !== undefined && node.uuid !== uuid) throw twoIds(name);
    if (summary !== undefined) node.summary ??= summary;
    if (attributes !== undefined) node.attributes = { ...attributes, ...node.attributes };
    return node.tmp_ref;
  }

  addFact(fact: FoundFact, times: { readonly validAt: string | null; readonly invalidAt: string | null }): void {
    const { subject, relation, object, text, isNegated, qualifiers } = fact;
    const edge = {
      name: relation,
      fact: text ?? plainFact(fact),
      source_ref: this.addEntity({ name: subject }),
      target_ref: this.addEntity({ name: object }),
      ...(times.validAt === null ? {} : { valid_at: times.validAt }),
      ...(times.invalidAt === null ? {} : { invalid_at: times.invalidAt }),
      ...(qualifiers === undefined ? {} : { qualifiers }),
      ...(isNegated ? { negated: true } : {}),
    };
    const key = JSON.stringify(edge);
    if (!this.#edges.has(key)) this.#edges.set(key, edge);
  }

  /** The extraction, in the shape that `readExtraction` reads. */
  result(): { readonly nodes: readonly object[]; readonly edges: readonly object[] } {
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }
}

function twoIds(name: string): RouxError {
  const message = `The episode gives two entities the name "${name.slice(0, 60)}" and another "uuid" each; name them apart.`;
  return new RouxError('INVALID_ARGUMENT', message, { retryable: false });
}

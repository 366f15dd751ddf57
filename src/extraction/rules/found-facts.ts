import { RouxError } from '../../errors.ts';
import type { JsonMap } from '../extraction.ts';
import { normalizeName } from '../names.ts';

/** An entity found by rules. */
export interface FoundEntity {
  readonly name: string;
  readonly uuid?: string;
  readonly summary?: string;
  readonly attributes?: JsonMap;
}

/** A fact found by rules. Its ends are names, and its times are not parsed yet. */
export interface FoundFact {
  readonly subject: string;
  readonly relation: string;
  readonly object: string;
  /** The statement; null if it consists only of subject, relation and object. */
  readonly text: string | null;
  readonly isNegated: boolean;
  /** The value of a field; null if there is none. */
  readonly validAt: string | null;
  readonly invalidAt: string | null;
  /** Further text that may contain dates, such as the words after the object. */
  readonly times?: string;
  readonly qualifiers?: JsonMap;
}

/** Receives what rules find, in order. */
export interface Findings {
  entity(entity: FoundEntity): void;
  fact(fact: FoundFact): void;
}

/** Parses a relation such as `WORKS_AT`, and its negation `!WORKS_AT` or `not WORKS_AT`. Drops a leading colon, as in Cypher. */
export function readRelationName(written: string): { readonly relation: string; readonly isNegated: boolean } {
  const [, mark, relation = ''] = /^(!|not(?=\s))?\s*:?(.*)$/is.exec(written.trim()) ?? [];
  return { relation: relation.trim(), isNegated: mark !== undefined };
}

/** Formats the statement of a fact without a text, such as `Alice WORKS_AT Acme`. */
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

/** Builds an extraction, with one entity for each normalized name and without duplicate facts. */
export class ExtractionDraft {
  readonly #nodes = new Map<string, WrittenNode>();
  readonly #edges = new Map<string, object>();

  get size(): number {
    return Math.max(this.#nodes.size, this.#edges.size);
  }

  /** Adds an entity, or completes an existing one, whose values take precedence. Returns its `tmp_ref`. Throws for a second `uuid`. */
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

  /** Returns the extraction in the form that `readExtraction` takes. */
  result(): { readonly nodes: readonly object[]; readonly edges: readonly object[] } {
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }
}

function twoIds(name: string): RouxError {
  const message = `The episode gives two entities the name "${name.slice(0, 60)}" and different "uuid"s; give them different names.`;
  return new RouxError('INVALID_ARGUMENT', message, { retryable: false });
}

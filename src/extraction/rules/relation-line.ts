import { parseRelation } from '../../note/body/relation.ts';
import type { RelationField } from '../../note/body/relation.ts';
import { PROTOTYPE_KEYS } from '../json-bounds.ts';
import { isSectionLine } from './subjects.ts';
import { shownName } from './entity-name.ts';
import { readRelationName } from './found-facts.ts';
import type { FoundFact } from './found-facts.ts';
import type { TextLine } from './text-lines.ts';

/** A fact without its subject. */
export type Statement = Omit<FoundFact, 'subject'>;

/**
 * Parses a list item as a relation line (docs/format.md, Relations); null for prose. Below a heading "Relations" the grammar suffices.
 * Elsewhere a type in capitals, or a text or field after the link, is needed too, since a word before a link is often prose.
 */
export function readRelationLine(line: TextLine): Statement | null {
  if (!line.isItem || !line.text.includes('[[')) return null;
  const parsed = parseRelation(line.text);
  if (parsed === null) return null;
  const { relation, isNegated } = readRelationName(parsed.type);
  const says = parsed.text !== null || parsed.fields.length > 0 || (/\p{L}/u.test(relation) && /^[\p{Lu}\p{Lo}\p{N}_-]+$/u.test(relation));
  const object = shownName({ link: parsed.target, ...(parsed.shown === null ? {} : { alias: parsed.shown }) });
  if (!(says || isSectionLine(line)) || relation === '' || relation.length > 256 || object === null) return null;
  const fields = readFields(parsed.fields);
  // An expired fact is not extracted.
  if (fields === null) return null;
  return { relation, object, text: parsed.text, ...fields, isNegated: isNegated !== fields.isNegated };
}

/** Fields about the record of a fact and not about the world. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['created_at', 'episode', 'episodes', 'uuid', 'source_episode_uuid']);

/** Parses the inline fields of a fact: times, negation and qualifiers. Null if the fact has expired. */
export function readFields(fields: readonly RelationField[]): Pick<FoundFact, 'validAt' | 'invalidAt' | 'isNegated' | 'qualifiers'> | null {
  let [validAt, invalidAt, isNegated]: [string | null, string | null, boolean] = [null, null, false];
  const qualifiers = new Map<string, string>();
  for (const { key, value } of fields) {
    if (key === 'expired_at') return null;
    if (key === 'valid_at') validAt = value;
    else if (key === 'invalid_at') invalidAt = value;
    else if (key === 'negated') isNegated = /^(?:true|yes|1)$/i.test(value.trim());
    else if (!BOOKKEEPING.has(key) && !PROTOTYPE_KEYS.has(key)) qualifiers.set(key, value);
  }
  return { validAt, invalidAt, isNegated, ...(qualifiers.size === 0 ? {} : { qualifiers: Object.fromEntries(qualifiers) }) };
}

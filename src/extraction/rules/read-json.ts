import { isWholeLink, readEntityName } from './entity-name.ts';
import { isRecord } from '../../is-record.ts';
import type { JsonMap } from '../extraction.ts';
import { PROTOTYPE_KEYS } from '../json-bounds.ts';
import { isBlankText } from '../names.ts';
import { readRelationName } from './found-facts.ts';
import type { Findings, FoundEntity, FoundFact } from './found-facts.ts';

type Json = Readonly<Record<string, unknown>>;

/** Whether JSON is an extraction as it is, to be validated and nothing else. */
export function isExtraction(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['nodes']) && Array.isArray(value['edges']);
}

/**
 * Reads JSON: triples (`subject`, `relation` or `predicate`, `object`) are facts; a map with a `name` is an entity, whose own maps with a
 * name, lists of them and wikilinks are facts about it, the key being the relation, and whose other values are its attributes; all other
 * maps and lists are looked into. Texts in lists go to `text`. JSON must be no deeper than `checkJson` lets pass.
 */
export function readJson(value: unknown, findings: Findings, text: (body: string) => void): void {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) {
    for (const each of value) readJson(each, findings, text);
    return;
  }
  if (!isRecord(value)) return;
  if (isTriple(value)) return readTriple(value, findings);
  if (nameOf(value) !== null) return void readEntity(value, findings);
  for (const each of Object.values(value)) if (typeof each === 'object') readJson(each, findings, text);
}

function isTriple(value: Json): boolean {
  const hasEnds = [value['subject'], value['object']].every((end) => endName(end) !== null);
  return hasEnds && typeof relationOf(value) === 'string';
}

function relationOf(value: Json): unknown {
  return value['relation'] ?? value['predicate'];
}

const TRIPLE_KEYS: ReadonlySet<string> = new Set([
  'subject',
  'relation',
  'predicate',
  'object',
  'fact',
  'valid_at',
  'invalid_at',
  'negated',
  'qualifiers',
]);

function readTriple(value: Json, findings: Findings): void {
  const [subject, object] = [readEnd(value['subject'], findings), readEnd(value['object'], findings)];
  const { relation, isNegated } = readRelationName(String(relationOf(value)));
  if (subject === null || object === null || isBlankText(relation)) return;
  const others = Object.entries(value).filter(([key]) => !TRIPLE_KEYS.has(key));
  const qualifiers = { ...asMap(value['qualifiers']), ...asMap(Object.fromEntries(others)) };
  findings.fact({
    subject,
    relation,
    object,
    ...timesOf(value),
    isNegated: isNegated !== (value['negated'] === true),
    ...(Object.keys(qualifiers).length === 0 ? {} : { qualifiers }),
  });
}

/** An end of a triple: a name, a wikilink, or an entity. */
function readEnd(value: unknown, findings: Findings): string | null {
  return isRecord(value) ? readEntity(value, findings) : endName(value);
}

function endName(value: unknown): string | null {
  if (isRecord(value)) return nameOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? textName(value) : null;
}

/** Names in JSON are whole: quotes and marks in them are theirs. */
function textName(text: string): string | null {
  if (isWholeLink(text.trim())) return readEntityName(text);
  return isBlankText(text) ? null : text;
}

function nameOf(value: Json): string | null {
  const name = value['name'];
  return typeof name === 'string' ? textName(name) : null;
}

/** Whether a value of an entity is another one: a map with a name, or a wikilink. */
function isEntity(value: unknown): boolean {
  return isRecord(value) ? nameOf(value) !== null : typeof value === 'string' && isWholeLink(value.trim());
}

/** Keys of a nested entity that tell of the fact which leads to it. */
const FACT_KEYS: ReadonlySet<string> = new Set(['fact', 'valid_at', 'invalid_at']);

/** Tells of an entity and of the facts that its values are; gives its name. */
function readEntity(value: Json, findings: Findings, isNested = false): string | null {
  const name = nameOf(value);
  if (name === null) return null;
  const attributes: Record<string, unknown> = {};
  const facts: { readonly relation: string; readonly end: unknown }[] = [];
  for (const [key, each] of Object.entries(value)) {
    if (['name', 'uuid', 'summary'].includes(key) || PROTOTYPE_KEYS.has(key) || (isNested && FACT_KEYS.has(key))) continue;
    const parts: readonly unknown[] = Array.isArray(each) ? each : [each];
    const rest: unknown[] = [];
    for (const part of parts) {
      if (isEntity(part)) facts.push({ relation: key, end: part });
      else if (part !== null) rest.push(part);
    }
    if (rest.length > 0) attributes[key] = withoutPrototypeKeys(Array.isArray(each) ? rest : each);
  }
  const { uuid, summary } = value;
  findings.entity({
    name,
    ...(typeof uuid === 'string' && !isBlankText(uuid) ? { uuid } : {}),
    ...(typeof summary === 'string' && !isBlankText(summary) ? { summary } : {}),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
  } satisfies FoundEntity);
  for (const { relation, end } of facts) {
    const object = isRecord(end) ? readEntity(end, findings, true) : endName(end);
    if (object === null || isBlankText(relation)) continue;
    findings.fact({ subject: name, object, ...readRelationName(relation), ...timesOf(isRecord(end) ? end : {}) });
  }
  return name;
}

function timesOf(value: Json): Pick<FoundFact, 'text' | 'validAt' | 'invalidAt'> {
  const textAt = (key: string): string | null => {
    const text = value[key];
    if (typeof text === 'number') return String(text);
    return typeof text === 'string' && !isBlankText(text) ? text : null;
  };
  return { text: textAt('fact'), validAt: textAt('valid_at'), invalidAt: textAt('invalid_at') };
}

function asMap(value: unknown): JsonMap {
  const map = withoutPrototypeKeys(value);
  return isRecord(map) ? map : {};
}

/** A value without the keys that no note keeps; the episode has them. */
function withoutPrototypeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypeKeys);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !PROTOTYPE_KEYS.has(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutPrototypeKeys(each)]));
}

import { isWholeLink, readEntityName } from './entity-name.ts';
import { isRecord } from '../../is-record.ts';
import type { JsonMap } from '../extraction.ts';
import { PROTOTYPE_KEYS } from '../json-bounds.ts';
import { isBlankText } from '../names.ts';
import { readRelationName } from './found-facts.ts';
import type { Findings, FoundEntity, FoundFact } from './found-facts.ts';

type Json = Readonly<Record<string, unknown>>;

/** Whether JSON is already an extraction that only needs to be validated. */
export function isExtraction(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['nodes']) && Array.isArray(value['edges']);
}

/**
 * Finds facts in JSON. A triple (`subject`, `relation` or `predicate`, `object`) is a fact. A map with a `name` is an entity: values that
 * are such maps, lists of them or wikilinks are facts with the key as the relation, and other values are attributes. All other maps and
 * lists are searched. Texts in lists are passed to `text`. JSON must have passed `checkJson`, which limits its depth.
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

/** Returns the name of an end of a triple: a name, a wikilink, or an entity. */
function readEnd(value: unknown, findings: Findings): string | null {
  return isRecord(value) ? readEntity(value, findings) : endName(value);
}

function endName(value: unknown): string | null {
  if (isRecord(value)) return nameOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? textName(value) : null;
}

/** Returns the name that a JSON text is. Quotes and markup are part of it. */
function textName(text: string): string | null {
  if (isWholeLink(text.trim())) return readEntityName(text);
  return isBlankText(text) ? null : text;
}

function nameOf(value: Json): string | null {
  const name = value['name'];
  return typeof name === 'string' ? textName(name) : null;
}

/** Whether a value is an entity: a map with a name, or a wikilink. */
function isEntity(value: unknown): boolean {
  return isRecord(value) ? nameOf(value) !== null : typeof value === 'string' && isWholeLink(value.trim());
}

/** Keys of a nested entity that describe the fact that leads to it. */
const FACT_KEYS: ReadonlySet<string> = new Set(['fact', 'valid_at', 'invalid_at']);

/** Reports an entity, and the facts in its values. Returns its name. */
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

/** Removes prototype keys, which notes cannot hold. The episode retains them. */
function withoutPrototypeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypeKeys);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !PROTOTYPE_KEYS.has(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutPrototypeKeys(each)]));
}

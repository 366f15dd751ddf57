import { formatRelation, parseRelation } from '../../note/body/relation.ts';
import type { RelationField } from '../../note/body/relation.ts';

export type Scalar = string | number | boolean;
export type Scalars = Readonly<Record<string, Scalar>>;

/** A connection as its line states it: a relation with a `^c-` id (docs/format.md, Body sections). */
export interface ConnectionLine {
  /** `c-` and a lower-case ULID. */
  readonly id: string;
  readonly type: string;
  readonly linkpath: string;
  readonly shown: string | null;
  readonly content: string | null;
  readonly format: string | null;
  readonly created: string;
  readonly modified: string;
  readonly properties: Scalars;
}

/** Fields about the line itself; a property with such a name is prefixed with `p_`. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['created', 'modified', 'format']);
const FIELD_NAME = /^[A-Za-z_][\w-]*$/;

/** Formats the list entry of a connection. Throws `INVALID_ARGUMENT` if it does not fit on a line. */
export function formatConnection(connection: ConnectionLine): string {
  const { id, type, linkpath, shown, content, format, created, modified, properties } = connection;
  const fields: RelationField[] = Object.entries(properties).map(([key, value]) => ({ key: toFieldKey(key), value: toFieldText(value) }));
  if (format !== null) fields.push({ key: 'format', value: format });
  fields.push({ key: 'created', value: created }, { key: 'modified', value: modified });
  return formatRelation({ type, target: linkpath, shown, text: content === '' ? null : content, fields, blockId: id });
}

/** Parses a list entry; returns null for a bare relation, a fact or prose. */
export function parseConnection(line: string): ConnectionLine | null {
  const relation = parseRelation(line);
  if (relation?.blockId === undefined || relation.blockId === null || !relation.blockId.startsWith('c-')) return null;
  const own = (key: string): string | null => relation.fields.find((field) => field.key === key)?.value ?? null;
  const created = own('created') ?? '';
  return {
    id: relation.blockId,
    type: relation.type,
    linkpath: relation.target,
    shown: relation.shown,
    content: relation.text,
    format: own('format'),
    created,
    modified: own('modified') ?? created,
    properties: Object.fromEntries(
      relation.fields.filter(({ key }) => !OWN_FIELDS.has(key)).map(({ key, value }) => [fromFieldKey(key), fromFieldText(value)]),
    ),
  };
}

/** Returns whether a property name can be an inline field. */
export function isFieldName(key: string): boolean {
  return FIELD_NAME.test(key);
}

function toFieldKey(key: string): string {
  return OWN_FIELDS.has(key) || key.startsWith('p_') ? `p_${key}` : key;
}

function fromFieldKey(key: string): string {
  return key.startsWith('p_') ? key.slice(2) : key;
}

/** Formats a value so that its type is preserved: text that looks like a number, a boolean or quoted text is quoted. */
function toFieldText(value: Scalar): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return value === '' || value.startsWith('"') || isScalarText(value) ? JSON.stringify(value) : value;
}

function fromFieldText(text: string): Scalar {
  if (!text.startsWith('"') && !isScalarText(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : text;
  } catch {
    return text;
  }
}

function isScalarText(text: string): boolean {
  return /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text);
}

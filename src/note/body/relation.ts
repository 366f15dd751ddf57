import { RouxError } from '../../errors.ts';
import { readWikilink, wikilinkEnd } from '../markdown/wikilink.ts';
import { decodeText, encodeText, readsBack } from './entry-text.ts';

/** One line of `## Relations`: an edge with its attributes (docs/format.md, Body sections). */
export interface Relation {
  readonly type: string;
  /** Link text of the target. */
  readonly target: string;
  /** Display text of the link; null for none. */
  readonly shown: string | null;
  /** The prose after the colon, or null. */
  readonly text: string | null;
  /** Inline fields in order; keys may repeat. */
  readonly fields: readonly RelationField[];
  /** Without `^`: `c-…` for a connection, `f-…` for a fact, null for a bare relation. */
  readonly blockId: string | null;
}

/** A Dataview inline field, `[key:: value]`. */
export interface RelationField {
  readonly key: string;
  readonly value: string;
}

const fieldPattern = /^\[([A-Za-z_][\w-]*)::[ \t]*(?![ \t])(.*)\]$/;

/** Parses the text of a list item (with or without `- `) as a relation; null for prose. */
export function parseRelation(line: string): Relation | null {
  const text = line.replace(/^[-*+][ \t]+/, '').trim();
  if (/[\r\n]/.test(text)) return null;
  const open = linkStart(text);
  const end = open === -1 ? -1 : wikilinkEnd(text, open, text.length);
  const type = decodeText(text.slice(0, Math.max(open, 0)).trimEnd());
  if (end === -1 || type.trim() === '' || !/[ \t]/.test(text.charAt(open - 1))) return null;
  const link = readWikilink(text, { start: open, end });
  const tail = readTail(text.slice(end));
  if (!tail) return null;
  return { type, target: link.link, shown: link.alias ?? null, ...tail };
}

/** Formats a relation as the text of a list item, without `- `. Throws when it would not read back identically. */
export function formatRelation(relation: Relation): string {
  const { target, shown, text, fields, blockId } = relation;
  const type = encodeText(
    relation.type,
    (form) => linkStart(form) === -1 && readsBack(form) && (!form.startsWith('`') || form !== relation.type),
  );
  const link = shown === null ? `[[${target}]]` : `[[${target}|${shown}]]`;
  const prose = text === null ? '' : `: ${encodeText(text, (form) => readsBack(form) && readTail(`: ${form}`)?.text === text)}`;
  const marks = fields.map(({ key, value }) => ` [${key}:: ${encodeText(value, isBalanced)}]`).join('');
  const line = `${type} ${link}${prose}${marks}${blockId === null ? '' : ` ^${blockId}`}`;
  if (!isSameRelation(parseRelation(line), relation)) {
    throw new RouxError(
      'INVALID_ARGUMENT',
      `The relation ${JSON.stringify(line)} would not read back as given; use other words in its link or fields.`,
    );
  }
  return line;
}

/** Parses what follows the link of a relation: text, fields, block id; null for anything else. */
function readTail(tail: string): Pick<Relation, 'text' | 'fields' | 'blockId'> | null {
  let rest = tail;
  let blockId: string | null = null;
  const block = /(?:^|[ \t])\^([A-Za-z0-9-]+)$/.exec(rest);
  if (block) {
    blockId = block[1] ?? null;
    rest = rest.slice(0, block.index).trimEnd();
  }
  const fields: RelationField[] = [];
  for (let start = fieldStart(rest); start !== -1; start = fieldStart(rest)) {
    const [, key = '', value = ''] = fieldPattern.exec(rest.slice(start)) ?? [];
    fields.unshift({ key, value: decodeText(value) });
    rest = rest.slice(0, start).trimEnd();
  }
  if (rest === '') return { text: null, fields, blockId };
  if (!/^:[ \t]+\S/.test(rest)) return null;
  return { text: decodeText(rest.slice(1).trim()), fields, blockId };
}

/** Returns the start of the field at the end of a text; -1 for none. */
function fieldStart(text: string): number {
  if (!text.endsWith(']')) return -1;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text[at];
    if (character === ']') depth += 1;
    else if (character === '[') depth -= 1;
    if (depth === 0) {
      const isApart = at === 0 || /[ \t\]]/.test(text.charAt(at - 1));
      return isApart && fieldPattern.test(text.slice(at)) ? at : -1;
    }
  }
  return -1;
}

/** Returns the first `[[` outside inline code, since a type may be code. */
function linkStart(text: string): number {
  const code = /^(`+)(?!`)[^\n]*?[^`]\1(?!`)/.exec(text)?.[0].length ?? 0;
  return text.indexOf('[[', code);
}

function isBalanced(value: string): boolean {
  return readsBack(value) && fieldStart(` [k:: ${value}]`) === 1;
}

function isSameRelation(a: Relation | null, b: Relation): boolean {
  return (
    a !== null &&
    a.type === b.type &&
    a.target === b.target &&
    a.shown === b.shown &&
    a.text === b.text &&
    a.blockId === b.blockId &&
    a.fields.length === b.fields.length &&
    a.fields.every((field, index) => field.key === b.fields[index]?.key && field.value === b.fields[index]?.value)
  );
}

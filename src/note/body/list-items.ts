import { RouxError } from '../../errors.ts';
import { readWikilink, wikilinkEnd } from '../markdown/wikilink.ts';
import { readBodySection } from './section.ts';

/**
 * Writes any text on one line so that `decodeText` gives it back: as it is, as inline code, as inline code that holds a JSON
 * string, or that with its brackets escaped, whichever `fits` first.
 */
export function encodeText(text: string, fits: (written: string) => boolean): string {
  const json = JSON.stringify(text).replace(/[\u2028\u2029]/g, escapeCode);
  const last = inlineCode(json.replace(/[[\]]/g, escapeCode));
  const forms = [text, inlineCode(text), inlineCode(json)];
  return forms.find((form) => !/[^\P{Cc}\t]|[\u2028\u2029]/u.test(form) && decodeText(form) === text && fits(form)) ?? last;
}

function escapeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The text that `encodeText` was given. Text that is not one whole stretch of inline code stands for itself. */
export function decodeText(written: string): string {
  const code = codeContent(written);
  if (code === null) return written;
  if (!code.startsWith('"')) return code;
  try {
    const value: unknown = JSON.parse(code);
    return typeof value === 'string' ? value : code;
  } catch {
    return code;
  }
}

/** A text as inline code: a fence longer than any run of backticks in it, and padded where the content would be trimmed. */
function inlineCode(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const isPadded = /^`|`$|^ .* $/.test(text);
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** What a text that is one whole stretch of inline code holds, or null. */
function codeContent(text: string): string | null {
  const fence = /^`+/.exec(text)?.[0];
  if (fence === undefined || text.length < 2 * fence.length + 1 || !text.endsWith(fence)) return null;
  const content = text.slice(fence.length, -fence.length);
  // Backticks of the fence's own length inside would end the code earlier.
  if ((content.match(/`+/g) ?? []).some((run) => run.length === fence.length) || content.endsWith('`')) return null;
  return /^ .*[^ ].* $/.test(content) ? content.slice(1, -1) : content;
}

/** One line of `## Relations`: an edge with what is said about it (vault-format.md, Body sections). */
export interface Relation {
  readonly type: string;
  /** Link text of the target. */
  readonly target: string;
  /** What the link shows instead of its target, or null. */
  readonly shown: string | null;
  /** The prose after the colon, or null. */
  readonly text: string | null;
  /** Inline fields in their order; a key may come twice. */
  readonly fields: readonly RelationField[];
  /** Without `^`: `c-…` for a connection, `f-…` for a fact, null for a bare relation. */
  readonly blockId: string | null;
}

/** A Dataview inline field, `[key:: value]`. */
export interface RelationField {
  readonly key: string;
  readonly value: string;
}

/** An observation as the text of a list item. What would not read back identically, and any JSON object, becomes inline code. */
export function encodeObservation(text: string): string {
  return encodeText(text, (form) => !isJsonObject(form) && readsBack(form));
}

/** The observation that a list item's text stands for. */
export function decodeObservation(item: string): string {
  return decodeText(item);
}

/** Reads the text of a list item (a `- ` before it may stay) as a relation; null for prose. */
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

/** A relation as the text of a list item, without the `- `. Throws when it cannot be written so that it reads back identically. */
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

/** What follows the link of a relation: text, fields, block id; null when something else does. */
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

const fieldPattern = /^\[([A-Za-z_][\w-]*)::[ \t]*(.*)\]$/;

/** Where the field that ends a text begins, or -1. */
function fieldStart(text: string): number {
  if (!text.endsWith(']')) return -1;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text[at];
    if (character === ']') depth += 1;
    else if (character === '[') depth -= 1;
    if (depth === 0) {
      const isApart = at === 0 || /[ \t]/.test(text.charAt(at - 1));
      return isApart && fieldPattern.test(text.slice(at)) ? at : -1;
    }
  }
  return -1;
}

/** The first `[[` outside inline code: a type may be code. */
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

/** Whether a text, written as a list item between two others, is read as exactly this one item and opens no other block. */
function readsBack(text: string): boolean {
  if (text === '' || text !== text.trim() || /[^\P{Cc}\t]/u.test(text) || opensBlock.test(text)) return false;
  const lines = readBodySection(`## A\n\n- x\n- ${text}\n- y\n`, 'A')?.entries.map((entry) => entry.line);
  return lines?.length === 3 && lines[1] === text;
}

/** Starts of a nested list, heading, quote, fence, HTML, table, rule, task or footnote within the item. */
const opensBlock = /^(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}(?:\s|$)|>|`{3}|~{3}|<|\||\[[^\]]*\]:|\[.\]\s|(?:[-*_=]\s*)+$|\$\$)|<!--/;

function isJsonObject(text: string): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

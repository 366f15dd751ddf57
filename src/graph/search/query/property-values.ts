import type { PropertyValueTest } from './query.ts';

/** A requested property; `values` is null when any value, or none, matches. */
export interface AskedProperty {
  readonly key: string;
  readonly values: readonly PropertyValueTest[] | null;
}

/** Parses `[property]`, `[property:value]`, `[property:null]`, `[property:>3]` and `[property:a OR b]`; null when it names no property. */
export function readProperty(text: string): AskedProperty | null {
  const parts = /^\s*("[^"]*"|[^:]*)(?::(.*))?$/s.exec(text);
  const key = unquote(parts?.[1] ?? '');
  if (key === '' || key.startsWith('[')) return null;
  const value = parts?.[2];
  return { key, values: value === undefined ? null : alternatives(withoutParentheses(value)).map(readValue) };
}

/** Splits at `OR` outside of quotes. */
function alternatives(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const mark of text.matchAll(/"[^"]*"|\sOR(?=\s)/g)) {
    if (mark[0].startsWith('"')) continue;
    found.push(text.slice(from, mark.index));
    from = mark.index + mark[0].length;
  }
  found.push(text.slice(from));
  const filled = found.filter((part) => part.trim() !== '');
  return filled.length === 0 ? [''] : filled;
}

function withoutParentheses(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith('(') && trimmed.endsWith(')') ? trimmed.slice(1, -1) : trimmed;
}

function readValue(text: string): PropertyValueTest {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === 'null') return { kind: 'empty' };
  const comparison = /^(<=|>=|<|>)\s*(.+)$/s.exec(trimmed);
  const by = comparison?.[1];
  if (by === '<' || by === '<=' || by === '>' || by === '>=') return { kind: 'compare', by, value: unquote(comparison?.[2] ?? '') };
  return { kind: 'equals', value: unquote(trimmed) };
}

/** Removes the quotes around a text. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"') ? trimmed.slice(1, -1).trim() : trimmed;
}

/** Parses a number, or a date at the start of a text; null for neither. */
export function toComparable(text: string): { readonly number: number } | { readonly date: string } | null {
  const trimmed = text.trim();
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return { number: Number(trimmed) };
  return /^\d{4}-\d{2}(?!\d)/.test(trimmed) ? { date: trimmed.replace(' ', 'T') } : null;
}

import { revOf } from '../../../note/frontmatter/property-value.ts';
import { STAMP_KEYS } from '../../../note/frontmatter/reserved-keys.ts';
import { linkLabel, splitLinkText } from '../../../note/markdown/link-text.ts';
import { readWikilink, wikilinkEnd } from '../../../note/markdown/wikilink.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { GraphView } from '../../../graph/view.ts';
import { shorten } from '../../shorten.ts';
import { MANAGED_KEYS } from '../write/given-properties.ts';

/** A displayed value of a property. */
export interface ShownValue {
  readonly text: string;
  /** The note that its link leads to. */
  readonly note?: string;
  readonly kind?: 'date' | 'number' | 'boolean' | 'json' | 'url' | 'tag' | 'file' | 'unresolved';
  /** The file that its link leads to, or the name that no note has yet: of the kinds `file` and `unresolved`. */
  readonly target?: string;
}

export interface ShownProperty {
  readonly key: string;
  readonly values: readonly ShownValue[];
  /** Number of values that are left out. */
  readonly more?: number;
  /** It cannot be edited in its place: roux manages it, or it holds more than a flat list. */
  readonly is_fixed?: true;
}

const MAX_PROPERTIES = 100;
const MAX_VALUES = 100;
const MAX_KEY_CHARACTERS = 120;
const MAX_VALUE_CHARACTERS = 1_000;
/** Properties shown elsewhere on the page. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['title']);
/** Hidden in notes with a `rev`, whose writes roux counts: they tell a reader nothing. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['id', ...STAMP_KEYS]);

/** Returns the frontmatter of a note as a table: keys in order, single values of lists, and targets of links. */
export function showProperties(graph: Pick<GraphView, 'resolve'>, path: string, data: Properties): readonly ShownProperty[] {
  return Object.entries(data)
    .filter(([key]) => !SHOWN_ELSEWHERE.has(key) && !(revOf(data) !== null && BOOKKEEPING.has(key)))
    .slice(0, MAX_PROPERTIES)
    .map(([key, value]) => {
      const all = Array.isArray(value) ? (value as readonly PropertyValue[]) : [value];
      const isTags = /^tags?$/i.test(key);
      const values = all.slice(0, MAX_VALUES).map((each) => showValue(graph, path, each, isTags));
      const isFixed =
        MANAGED_KEYS.has(key) || key.length > MAX_KEY_CHARACTERS || all.some((each) => typeof each === 'object' && each !== null);
      return {
        key: shorten(key, MAX_KEY_CHARACTERS),
        values,
        ...(isFixed ? { is_fixed: true as const } : {}),
        ...(all.length > MAX_VALUES ? { more: all.length - MAX_VALUES } : {}),
      };
    });
}

function showValue(graph: Pick<GraphView, 'resolve'>, path: string, value: PropertyValue, isTag: boolean): ShownValue {
  if (value === null) return { text: '' };
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no', kind: 'boolean' };
  if (typeof value === 'number') return { text: String(value), kind: 'number' };
  if (typeof value !== 'string') return { text: shorten(JSON.stringify(value), MAX_VALUE_CHARACTERS), kind: 'json' };
  const text = shorten(value, MAX_VALUE_CHARACTERS);
  if (isTag) return { text: text.replace(/^#/, ''), kind: 'tag' };
  if (/^\s*\[\[/.test(value)) {
    const start = value.length - value.trimStart().length;
    const end = value.trimEnd().length;
    if (wikilinkEnd(value, start, end) === end) return showLink(graph, path, readWikilink(value, { start, end }));
  }
  if (/^https?:\/\/\S+$/i.test(value) && URL.canParse(value)) return { text, kind: 'url' };
  if (/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$/.test(value) && !Number.isNaN(Date.parse(value))) return { text, kind: 'date' };
  return { text };
}

function showLink(
  graph: Pick<GraphView, 'resolve'>,
  path: string,
  { link, alias }: { readonly link: string; readonly alias?: string },
): ShownValue {
  const { linkpath } = splitLinkText(link);
  const target = graph.resolve({ linkpath, from: path });
  const text = shorten(alias ?? linkLabel(link), MAX_VALUE_CHARACTERS);
  switch (target.kind) {
    case 'note':
      return { text, note: target.path };
    case 'attachment':
      return { text, kind: 'file', target: target.path };
    case 'unresolved':
      return { text, kind: 'unresolved', target: linkpath };
  }
}

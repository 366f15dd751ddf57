import * as z from 'zod';
import { isRecord } from '../../../../is-record.ts';
import type { PropertyValue } from '../../../../note/note.ts';
import { isTaskKey } from '../../../../note/frontmatter/reserved-keys.ts';
import { isTaskNote } from '../../../node-properties.ts';
import { defineOperation } from '../../../operation.ts';
import { etagOf } from '../../../view.ts';
import { MANAGED_KEYS } from '../../write/given-properties.ts';
import { readShown } from './shown-note.ts';

/** How a property is edited. */
type PropertyKind = 'text' | 'number' | 'checkbox' | 'date' | 'datetime' | 'list';

const MAX_PROPERTIES = 200;
/** Kinds by the names that Obsidian gives them in `.obsidian/types.json`. */
const KINDS: Readonly<Record<string, PropertyKind>> = {
  text: 'text',
  multitext: 'list',
  tags: 'list',
  aliases: 'list',
  number: 'number',
  checkbox: 'checkbox',
  date: 'date',
  datetime: 'datetime',
};

type Scalar = string | number | boolean;
type EditableValue = Scalar | readonly Scalar[] | null;

/** Returns the properties of a note for editing. */
export const pageProperties = defineOperation({
  name: 'page_properties',
  toolset: null,
  title: 'Properties of a note for editing',
  summary: 'The values of the properties of a note, how each is edited, and the types that Obsidian has for properties of this vault.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096) }),
  early: ({ path }) => ({ notes: [path] }),
  async run(context, { path }) {
    const { entry, onDisk } = await readShown(context, path);
    const { types } = context.vault.settings.obsidian('types.json');
    const named = new Map(
      Object.entries(isRecord(types) ? types : {}).flatMap(([key, type]) => {
        const kind = typeof type === 'string' && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
        return kind === undefined ? [] : [[key, kind] as const];
      }),
    );
    const isTask = isTaskNote(context, entry);
    const properties = Object.entries(onDisk.note.frontmatter.data)
      .filter(([key]) => !MANAGED_KEYS.has(key) && !(isTask && isTaskKey(key)))
      .slice(0, MAX_PROPERTIES)
      .flatMap(([key, value]) => {
        const kind = kindOf(key, value, named);
        return kind === null
          ? []
          : [{ key, kind, value: (Array.isArray(value) ? value.filter((each) => each !== null) : value) as EditableValue }];
      });
    return { path: entry.path, etag: etagOf(onDisk.hash), properties, types: Object.fromEntries([...named].slice(0, MAX_PROPERTIES)) };
  },
});

/** Returns how a value is edited; null for one that is no scalar and no list of single lines. */
function kindOf(key: string, value: PropertyValue, named: ReadonlyMap<string, PropertyKind>): PropertyKind | null {
  if (Array.isArray(value)) return value.every(isLine) ? 'list' : null;
  if (typeof value === 'object' && value !== null) return null;
  if (/^(?:tags|aliases)$/i.test(key)) return 'list';
  if (typeof value === 'boolean') return 'checkbox';
  if (typeof value === 'number') return 'number';
  const kind = named.get(key);
  if (value === null) return kind ?? 'text';
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return 'date';
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(value)) return 'datetime';
  return kind === 'list' ? 'list' : 'text';
}

/** Whether an item of a list is edited as one line. Items that nothing was written into yet are left out. */
function isLine(item: PropertyValue): boolean {
  return typeof item === 'string' ? !/[\r\n]/.test(item) : item === null || typeof item !== 'object';
}

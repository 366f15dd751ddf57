import { isRecord } from '../../is-record.ts';
import type { FieldChange, HistoryEvent } from '../../store/records/history-event.ts';
import { folderOf } from '../../note/path.ts';

/** What a change did to a file, in the words that people use. */
export const CHANGE_KINDS = [
  'created',
  'edited',
  'ticked',
  'unticked',
  'renamed',
  'moved',
  'deleted',
  'restored',
  'merged',
  'completed',
  'reopened',
  'dropped',
  'linked',
  'unlinked',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

const KINDS: ReadonlyMap<string, ChangeKind> = new Map([
  ['created', 'created'],
  ['deleted', 'deleted'],
  ['restored', 'restored'],
  ['merged', 'merged'],
  ['resolved', 'completed'],
  ['reopened', 'reopened'],
  ['dropped', 'dropped'],
  ['connected', 'linked'],
  ['disconnected', 'unlinked'],
]);

/** Returns what an event did. An event that says nothing more is an edit. */
export function kindOfChange({ action, path, changes, hash }: HistoryEvent): ChangeKind {
  const named = KINDS.get(action);
  if (named !== undefined) return named;
  const file = changes.find(({ field }) => field === 'file');
  if (action === 'external' && file !== undefined) return file.after === null ? 'deleted' : 'created';
  const from = changes.find(({ field, after }) => field === 'path' && after === path)?.before;
  if (typeof from === 'string') return folderOf(from) === folderOf(path) ? 'renamed' : 'moved';
  if (hash === undefined && action === 'external') return 'deleted';
  return tickOf(changes) ?? 'edited';
}

/** Returns whether a change only ticked or cleared checkboxes; null for any other. */
function tickOf(changes: readonly FieldChange[]): 'ticked' | 'unticked' | null {
  const [body, ...others] = changes;
  if (body?.field !== 'body' || others.length > 0) return null;
  const [before, after] = [linesOf(body.before), linesOf(body.after)];
  if (before === null || after === null || before.length !== after.length) return null;
  const changed = before.flatMap((line, at) => (line === after[at] ? [] : [[line, after[at] ?? ''] as const]));
  if (changed.length === 0 || !changed.every(([was, is]) => withoutMark(was) !== null && withoutMark(was) === withoutMark(is))) return null;
  const isTicked = ({ 1: is }: readonly [string, string]): boolean => markOf(is) !== ' ';
  if (changed.every(isTicked)) return 'ticked';
  return changed.some(isTicked) ? null : 'unticked';
}

const CHECKBOX = /^(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+)\[(.)\](?=\s)/u;

function markOf(line: string): string | null {
  return CHECKBOX.exec(line)?.[2] ?? null;
}

/** Returns a line without the mark of its checkbox and the day on which it was done. */
function withoutMark(line: string): string | null {
  const found = CHECKBOX.exec(line);
  const [rest = ''] = line.slice(found?.[0].length ?? 0).split('✅');
  return found === null ? null : `${found[1] ?? ''}${rest.trimEnd()}`;
}

function linesOf(side: FieldChange['before']): readonly string[] | null {
  return isRecord(side) && typeof side['text'] === 'string' ? side['text'].split('\n') : null;
}

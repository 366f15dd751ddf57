import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { NoteEntry } from '../../graph/view.ts';
import { contestedResolved } from '../../note/frontmatter/contested-value.ts';
import { tagEnd } from '../../note/markdown/tag.ts';
import { findOrders } from '../../note/orders/orders.ts';
import { foldKey } from '../../note/path.ts';
import { runAtOnce } from '../../store/slices.ts';
import { withRevision } from '../../vault/links/move.ts';
import type { Vault } from '../../vault/vault.ts';
import { currentTime } from '../operation.ts';
import type { ToolsetChecks } from '../operation.ts';
import { MAX_LISTED } from '../shorten.ts';
import type { Finding, CheckInput } from './finding.ts';

/** Finds notes of which something could not be read, usually the frontmatter. */
export function findUnreadable({ entries }: CheckInput): readonly Finding[] {
  return entries.flatMap((entry) =>
    entry.problems.map((problem): Finding => ({
      kind: 'frontmatter',
      paths: [entry.path],
      message: `${entry.path}${problem.line === undefined ? '' : `:${problem.line}`}: ${problem.message}`,
    })),
  );
}

/** Entries of notes without a finding in their text. An entry is replaced when its note changes. */
const clean = new WeakSet<NoteEntry>();

/**
 * Runs the checks that need the text of notes: unfinished merges, text that gives orders, and the toolsets' checks of their own notes, which
 * alone are parsed. Reads a text again only if its note has changed or had a finding, and yields to other work in between.
 */
export async function findInTexts(
  vault: Vault,
  entries: readonly NoteEntry[],
  checks: readonly ToolsetChecks[],
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  const withOrders: string[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % 50 === 49) await setImmediate();
    const { path, type } = entry;
    found.push(...checks.flatMap((each) => each.note?.(path) ?? []));
    const text = clean.has(entry) ? null : vault.notes.readTextUnstable(path);
    if (text === null) continue;
    const markers = conflictMarkers(path, text);
    const hasOrders = findOrders(text, { isCodeText: type === 'episode' }).length > 0;
    found.push(...markers);
    if (hasOrders) withOrders.push(path);
    // The text may be newer than its entry.
    const isOfEntry = createHash('sha256').update(text).digest('hex') === entry.hash;
    if (markers.length === 0 && !hasOrders && isOfEntry) clean.add(entry);
  }
  return [...found, ...describeOrders(withOrders)];
}

/** Describes all notes with text that gives orders in one finding: it is for a person to read, and stays while they keep it. */
function describeOrders(paths: readonly string[]): readonly Finding[] {
  if (paths.length === 0) return [];
  const notes = paths.length === 1 ? '1 note has' : `${paths.length} notes have`;
  const message = `${notes} text that gives orders to a model; "roux audit" shows it`;
  return [{ kind: 'orders', paths: paths.slice(0, MAX_LISTED), message }];
}

function conflictMarkers(path: string, text: string): readonly Finding[] {
  const found: Finding[] = [];
  const other = contestedResolved(text);
  if (other !== null) {
    const message = `${path}: a merge left open whether it is resolved (the other side has ${other}); decide, then delete the comment that says so in its frontmatter`;
    found.push({ kind: 'conflict-marker', paths: [path], message });
  }
  if (hasMarkers(text)) found.push({ kind: 'conflict-marker', paths: [path], message: `${path} holds unresolved merge markers` });
  return found;
}

/** Finds tags that Obsidian does not read: several in one text, or under a deprecated key. */
export function findTags(input: CheckInput): readonly Finding[] {
  return runAtOnce(findTagsInSteps(input));
}

/** Does the same in steps of a note each, whose properties may have to be parsed. */
export function* findTagsInSteps({ vault, graph, entries }: CheckInput): Generator<void, readonly Finding[]> {
  const at = currentTime({ vault });
  const found: Finding[] = [];
  for (const { path, properties } of entries) {
    const others = Object.keys(properties).filter((key) => key !== 'tags' && /^tags?$/.test(foldKey(key)));
    for (const key of others) {
      const message = `${path}: Obsidian reads no tags from the property ${key}; name it tags, with a list`;
      found.push({ kind: 'tags', paths: [path], message });
    }
    const written = properties['tags'];
    const tags = typeof written === 'string' ? splitTags(written) : [];
    if (typeof written === 'string' && tags.length > 1) {
      const message = `${path}: Obsidian reads no tags from the text "${written}"; it has to be a list`;
      const isSure = tags.every((tag) => tagEnd(`#${tag}`, 0, tag.length + 1) === tag.length + 1);
      const changes = withRevision({ graph, at }, path, [{ op: 'set', key: ['tags'], value: tags }]);
      const fix = { summary: `write it as a list of ${tags.length}`, files: [{ kind: 'change' as const, path, changes }] };
      found.push({ kind: 'tags', paths: [path], message, ...(isSure ? { fix } : {}) });
    }
    yield;
  }
  return found;
}

/** Splits tags at commas if there are any, else at spaces. */
function splitTags(text: string): readonly string[] {
  const parts = text.includes(',') ? text.split(',') : text.split(/\s+/);
  return parts.map((part) => part.trim().replace(/^#/, '')).filter((part) => part !== '');
}

/** Returns whether a text has all three conflict markers at starts of lines; one alone may underline a heading. */
function hasMarkers(text: string): boolean {
  return /^<{7} /m.test(text) && /^={7}\r?$/m.test(text) && /^>{7} /m.test(text);
}

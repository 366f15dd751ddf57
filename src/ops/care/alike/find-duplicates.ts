import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { NoteEntry } from '../../../graph/view.ts';
import { bodyStartOf } from '../../../note/frontmatter/read-frontmatter.ts';
import { compareText } from '../../../note/text.ts';
import type { Vault } from '../../../vault/vault.ts';
import { listSome } from '../../shorten.ts';
import type { Finding } from '../finding.ts';
import { findNameVariants } from './name-variants.ts';
import { similarity, sketchText } from './text-sketch.ts';
import type { TextSketch } from './text-sketch.ts';

/** Texts with this share of their runs of words in common are nearly the same. */
const MIN_SIMILARITY = 0.8;
/** With less in common, notes whose names differ by a number or by case are about different things. */
const MIN_NAMED_SIMILARITY = 0.2;
/** The smallest hashes of a sketch by which similar texts are looked up: of two that are, one is the same but for one in 100,000. */
const LOOKED_UP = 8;
/** Notes that one is compared with for each of these; what more of them share is a template. */
const MAX_COMPARED = 20;

interface ReadText {
  readonly path: string;
  readonly hash: string;
  readonly frontmatter: string;
  readonly sketch: TextSketch | null;
}

/** Notes with nearly the same text. */
interface Alike {
  readonly paths: readonly string[];
  /** What two of them have in common at least, 0 to 1. */
  readonly share: number;
}

/** Finds notes with the same text, with nearly the same text, and with the name of a copy, in this order. Reads all notes. */
export async function findDuplicates(vault: Vault): Promise<readonly Finding[]> {
  const entries = [...vault.graph.entries()];
  const texts = await readTexts(vault, entries);
  const equal = groupEqual(texts);
  const copies = new Set(equal.flatMap((group) => group.slice(1).map(({ path }) => path)));
  const near = findNear(texts.filter(({ path }) => !copies.has(path)));
  const told = new Map<string, Set<string>>();
  for (const group of [...equal.map((each) => each.map(({ path }) => path)), ...near.map(({ paths }) => paths)])
    for (const path of group) told.set(path, new Set([...(told.get(path) ?? []), ...group]));
  const byPath = new Map(texts.map((text) => [text.path, text]));
  const named = findNameVariants(entries.map(({ path }) => path))
    .filter(({ path, original }) => told.get(path)?.has(original) !== true)
    .map((each) => ({ ...each, share: shareOf(byPath.get(each.original), byPath.get(each.path)) }))
    // A number and another case are in the names of different things too.
    .filter(({ isCopy, share }) => isCopy || share === null || share >= MIN_NAMED_SIMILARITY)
    .toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0) || compareText(a.path, b.path));
  return [
    ...equal.map(describeEqual),
    ...near.map(({ paths, share }) => describe(paths, `have nearly the same text${percent(share, ' (', ')')}`)),
    ...named.map(({ path, original, share }) =>
      describe([original, path], `differ in their names as a note and its copy do${percent(share, '; ', ' of the text is the same')}`),
    ),
  ];
}

function describeEqual(group: readonly ReadText[]): Finding {
  const isWhole = new Set(group.map(({ frontmatter }) => frontmatter)).size === 1;
  return describe(
    group.map(({ path }) => path),
    isWhole ? 'are the same' : 'have the same text, but not the same properties',
  );
}

function describe(paths: readonly string[], how: string): Finding {
  return { kind: 'duplicate', paths, message: `${listSome(paths)} ${how}` };
}

async function readTexts(vault: Vault, entries: readonly NoteEntry[]): Promise<readonly ReadText[]> {
  const texts: ReadText[] = [];
  for (const [index, { path }] of entries.entries()) {
    if (index % 50 === 49) await setImmediate();
    const text = vault.notes.readTextUnstable(path);
    if (text === null) continue;
    const start = bodyStartOf(text);
    const body = text.slice(start).replace(/\s+/g, ' ').trim();
    // Empty notes are not copies of one another.
    if (body !== '')
      texts.push({
        path,
        frontmatter: text.slice(0, start),
        hash: createHash('sha1').update(body).digest('base64'),
        sketch: sketchText(body),
      });
  }
  return texts;
}

/** Returns the groups of notes with the same text but for space, each sorted by path. */
function groupEqual(texts: readonly ReadText[]): readonly (readonly ReadText[])[] {
  const groups = new Map<string, ReadText[]>();
  for (const text of texts) {
    const group = groups.get(text.hash);
    if (group === undefined) groups.set(text.hash, [text]);
    else group.push(text);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Returns groups of notes in which each has nearly the same text as another one, the most similar first. */
function findNear(texts: readonly ReadText[]): readonly Alike[] {
  const byHash = new Map<number, ReadText[]>();
  const groups = new Map<ReadText, { texts: ReadText[]; share: number }>();
  for (const text of texts) {
    const looked = text.sketch?.slice(0, LOOKED_UP) ?? [];
    const seen = new Set<ReadText>();
    for (const hash of looked) {
      const others = byHash.get(hash) ?? [];
      for (const other of others) seen.add(other);
      if (others.length < MAX_COMPARED) byHash.set(hash, [...others, text]);
    }
    for (const other of seen) {
      const share = shareOf(other, text) ?? 0;
      if (share < MIN_SIMILARITY) continue;
      const [one, two] = [other, text].map((each) => groups.get(each) ?? { texts: [each], share: 1 });
      if (one === undefined || two === undefined) continue;
      const joined = { texts: one === two ? one.texts : [...one.texts, ...two.texts], share: Math.min(one.share, two.share, share) };
      for (const each of joined.texts) groups.set(each, joined);
    }
  }
  return [...new Set(groups.values())]
    .map(({ texts: group, share }) => ({ paths: group.map(({ path }) => path).toSorted(compareText), share }))
    .toSorted((a, b) => b.share - a.share || compareText(a.paths[0] ?? '', b.paths[0] ?? ''));
}

function shareOf(a: ReadText | undefined, b: ReadText | undefined): number | null {
  if (a === undefined || b === undefined) return null;
  return a.hash === b.hash ? 1 : a.sketch === null || b.sketch === null ? null : similarity(a.sketch, b.sketch);
}

function percent(share: number | null, before: string, after: string): string {
  return share === null ? '' : `${before}${Math.round(share * 100)} %${after}`;
}

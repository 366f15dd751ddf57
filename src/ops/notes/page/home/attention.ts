import * as z from 'zod';
import type { GraphView } from '../../../../graph/view.ts';
import { dayOf } from '../../../../note/freshness.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { isStaleNote } from '../../../freshness/find-stale.ts';
import { listNowhere } from '../../../names/nowhere.ts';
import { defineOperation } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { openCounts } from '../../read/open-counts.ts';
import { pageCursor } from '../../../lists/page-cursor.ts';

/** Findings of a page, and the notes of each that are listed. */
const MAX_FINDINGS = 50;
const MAX_NOTES = 8;
const MAX_TEXT_CHARACTERS = 300;

const KINDS = ['unresolved', 'ambiguous', 'unreadable', 'stale'] as const;

/** A finding, before titles are looked up. */
interface Found {
  /** The text of the link, or what is wrong with the note. */
  readonly text: string;
  readonly paths: readonly string[];
}

/** Lists what needs attention in a vault, as far as it is known without reading notes. */
export const attentionList = defineOperation({
  name: 'attention_list',
  toolset: null,
  title: 'What needs attention',
  summary: 'Unresolved and ambiguous links, unreadable notes and stale notes, each with the notes concerned, page by page.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'refuse',
  input: z.strictObject({ kind: z.enum(KINDS), cursor: pageCursor }),
  async run({ vault }, { kind, cursor }) {
    const offset = Number(cursor ?? 0);
    await vault.refresh('changed');
    const found = FINDERS[kind](vault);
    const { unresolved, ambiguous, unreadable, stale } = (await vault.derived(openCounts)()).health;
    const next = offset + MAX_FINDINGS;
    return {
      counts: { unresolved, ambiguous, unreadable, stale },
      kind,
      total: found.length,
      findings: found.slice(offset, next).map(({ text, paths }) => ({
        text: shorten(text, MAX_TEXT_CHARACTERS),
        notes: paths.slice(0, MAX_NOTES).map((path) => ({ path, title: vault.graph.get(path)?.title ?? path })),
        note_count: paths.length,
      })),
      ...(next < found.length ? { next_cursor: String(next) } : {}),
    };
  },
});

const FINDERS: Readonly<Record<(typeof KINDS)[number], (vault: Vault) => readonly Found[]>> = {
  unresolved: (vault) =>
    listNowhere(vault)
      .map(({ linkpath, sources }) => ({ text: linkpath, paths: sources }))
      .toSorted((a, b) => b.paths.length - a.paths.length),
  ambiguous: ({ graph }) => groupAmbiguous(graph),
  unreadable: ({ graph }) =>
    [...graph.entries()].flatMap(({ path, problems }) =>
      problems.filter(({ code }) => code !== 'duplicate-tag').map(({ message }) => ({ text: message, paths: [path] })),
    ),
  stale: ({ graph, ports }) => {
    const today = dayOf(ports.clock.now());
    return [...graph.entries()]
      .filter((entry) => isStaleNote(graph, entry, today))
      .map(({ path, properties }) => ({
        text: typeof properties['stale_after'] === 'string' ? properties['stale_after'] : '',
        paths: [path],
      }));
  },
};

/** Groups ambiguous links by their text. */
function groupAmbiguous(graph: GraphView): readonly Found[] {
  const found = new Map<string, Set<string>>();
  for (const { linkpath, from } of graph.ambiguous()) found.set(linkpath, (found.get(linkpath) ?? new Set()).add(from));
  return [...found].map(([text, paths]) => ({ text, paths: [...paths] }));
}

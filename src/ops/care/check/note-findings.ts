import type { NoteEntry } from '../../../graph/view.ts';
import type { Problem } from '../../../note/note.ts';
import { STALE_AFTER, VERIFIED } from '../../../note/freshness.ts';
import type { Vault } from '../../../vault/vault.ts';
import { findStale } from '../../freshness/find-stale.ts';
import { findMissingParts } from '../../names/missing-parts.ts';
import { createTargetFinder } from '../../names/near-targets.ts';
import { listNowhere } from '../../names/nowhere.ts';
import { toName } from './finding.ts';
import type { CheckFinding, MessagePart } from './finding.ts';
import { isLinkTo } from './lines.ts';
import type { LineFinder } from './lines.ts';

/** Which notes are checked, and what is known of the files around them. */
export interface Checked {
  readonly vault: Vault;
  readonly lines: LineFinder;
  /** Returns whether the findings of a note are wanted. */
  readonly isWanted: (path: string) => boolean;
  /** Returns whether a link that leads nowhere is wanted. */
  readonly isWantedLink: (path: string, linkpath: string) => boolean;
}

/** Problems of a note that leave its properties readable. */
const READABLE: ReadonlySet<Problem['code']> = new Set(['too-large', 'too-large-to-write', 'too-nested', 'duplicate-tag']);

/** Finds notes whose properties cannot be read, or not as they are meant. */
export function findBrokenFrontmatter(entries: readonly NoteEntry[]): readonly CheckFinding[] {
  return entries.flatMap(({ path, problems }) =>
    problems
      .filter(({ code }) => !READABLE.has(code))
      .map(({ line = 1, message }): CheckFinding => ({
        kind: 'frontmatter',
        path,
        line,
        message: [toName(message)],
      })),
  );
}

/** Finds notes and observations past their day, and confirmations that are dated in the future. */
export function findStaleNotes({ vault, lines, isWanted }: Checked): readonly CheckFinding[] {
  return findStale(vault, [])
    .filter(({ path }) => isWanted(path))
    .map(({ kind, path, text, stale_after: day, misdated }): CheckFinding => {
      const what = kind === 'note' ? [] : [toName(text), ' is '];
      const why =
        day === undefined ? ['confirmed in the future, ', toName(misdated?.at.slice(0, 10) ?? '')] : ['stale since ', toName(day)];
      const line = lines.ofProperty(path, day === undefined ? VERIFIED : STALE_AFTER, kind === 'note' ? undefined : day);
      return { kind: 'stale', path, line, message: [...what, ...why] };
    });
}

/** Finds links to nothing, and links to headings and blocks that their note lacks. */
export function findBrokenLinks(checked: Checked, entries: readonly NoteEntry[]): readonly CheckFinding[] {
  const { vault, lines, isWantedLink } = checked;
  const found: CheckFinding[] = [];
  const findNearest = createTargetFinder(vault);
  for (const { linkpath, sources } of listNowhere(vault)) {
    const broken = sources.filter((path) => isWantedLink(path, linkpath));
    if (broken.length === 0) continue;
    const message = ['no such note or file: ', toName(linkpath), ...toNearest(findNearest({ linkpath, sources }))];
    for (const path of broken)
      for (const line of lines.ofLinks(path, isLinkTo(linkpath))) found.push({ kind: 'unresolved-link', path, line, message });
  }
  const wanted = entries.map(({ path }) => path);
  for (const { link, from, nearest } of findMissingParts(vault, vault.graph, wanted)) {
    const message = ['no such heading or block: ', toName(link), ...toNearest(nearest())];
    for (const path of from)
      for (const line of lines.ofLinks(path, (each) => each === link)) found.push({ kind: 'missing-heading', path, line, message });
  }
  return found;
}

/** Finds what keeps bundles of the Open Knowledge Format from conforming to it; their links are found as those of all notes. */
export async function findNonconforming({ vault, isWanted }: Checked): Promise<readonly CheckFinding[]> {
  if (vault.graph.bundles.tops.length === 0) return [];
  const { findOkf } = await import('../../okf/find-okf.ts');
  return findOkf(vault, { withLinks: false })
    .filter(({ level, path }) => level === 'error' && isWanted(path))
    .map(({ path, line, message, remedy }) => ({ kind: 'okf', path, line, message: [toName(message), '; ', toName(remedy)] }));
}

function toNearest(name: string | undefined): readonly MessagePart[] {
  return name === undefined ? [] : ['; the nearest is ', toName(name)];
}

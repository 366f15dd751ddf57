import { findDeadAnchors } from '../../../src/vault/code/find-dead-anchors.ts';
import { findTouched } from '../../../src/vault/code/find-touched.ts';
import { findUnconfirmed } from '../../../src/vault/code/find-unconfirmed.ts';
import { withOpen } from '../../support/open.ts';

/** A note about code. */
export function noteAbout(...anchors: readonly string[]): string {
  return `---\napplies_to:\n${anchors.map((each) => `  - ${each.startsWith('{') ? each : JSON.stringify(each)}\n`).join('')}---\nText\n`;
}

export const lines = (word: string, count = 20): string => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');

/** The dead anchors of a vault: what is said of each. */
export function dead(root: string): Promise<readonly string[]> {
  return withOpen(root, async (vault) => {
    const { findings, incomplete } = await findDeadAnchors(vault);
    return [
      ...findings.map(({ note, anchor, kind, movedTo }) =>
        [note.entry.path, anchor, kind, ...(movedTo === undefined ? [] : [movedTo])].join(' '),
      ),
      ...incomplete,
    ];
  });
}

/** The notes of a vault that are not confirmed: their paths, with the changes. */
export function unconfirmed(root: string): Promise<readonly string[]> {
  return withOpen(root, async (vault) => {
    const { findings, incomplete, unknownCommits } = await findUnconfirmed(vault);
    return [
      ...findings.map(({ note, changes, confirmed }) =>
        [
          `${note.entry.path} ${confirmed.how}:`,
          ...changes.map(({ path, kind, isUncommitted }) => `${kind} ${path}${isUncommitted === true ? '*' : ''}`),
        ].join(' '),
      ),
      ...unknownCommits.map(({ commit }) => `unknown ${commit}`),
      ...incomplete,
    ];
  });
}

export function touched(root: string, since: string): Promise<readonly string[]> {
  return withOpen(root, async (vault) => {
    const { findings, incomplete } = await findTouched(vault, since);
    return [
      ...findings.map(({ note, changes, isNoteChanged }) =>
        [`${note.entry.path}${isNoteChanged ? ' (changed)' : ''}:`, ...changes.map(({ path, kind }) => `${kind} ${path}`)].join(' '),
      ),
      ...incomplete,
    ];
  });
}

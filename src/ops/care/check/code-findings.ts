import type { CodeChange } from '../../../vault/code/code-changes.ts';
import type { AnchoredNote } from '../../../vault/code/anchored-notes.ts';
import { APPLIES_TO } from '../../../note/anchors/anchors.ts';
import { findDeadAnchors } from '../../../vault/code/find-dead-anchors.ts';
import type { DeadAnchor } from '../../../vault/code/find-dead-anchors.ts';
import { findUnconfirmed } from '../../../vault/code/find-unconfirmed.ts';
import type { UnconfirmedNote } from '../../../vault/code/find-unconfirmed.ts';
import { toName } from './finding.ts';
import type { CheckFinding, MessagePart } from './finding.ts';
import type { Checked } from './note-findings.ts';

/** Findings about the code around the vault, and why there may be more. */
export interface CodeFindings {
  readonly findings: readonly CheckFinding[];
  /** What was not looked at, as sentences. */
  readonly incomplete: readonly string[];
}

const MAX_ID_CHARACTERS = 12;

/** Finds anchors that lead to no code, and notes that nobody confirmed since their code changed. */
export async function findInCode(
  { vault, lines }: Pick<Checked, 'vault' | 'lines'>,
  notes: readonly AnchoredNote[],
): Promise<CodeFindings> {
  if (notes.length === 0) return { findings: [], incomplete: [] };
  const dead = await findDeadAnchors(vault, notes);
  const nothing = { findings: [], unknownCommits: [], incomplete: [] };
  // Before the first commit nothing can have changed since.
  const unconfirmed = vault.code.hasCommits() ? await findUnconfirmed(vault, notes) : nothing;
  const lineOf = ({ entry: { path } }: AnchoredNote, anchor: string | undefined) => lines.ofProperty(path, APPLIES_TO, anchor);
  return {
    findings: [
      ...dead.findings.map((found): CheckFinding => {
        const { note, anchor } = found;
        const kind = found.kind === 'moved' ? 'moved-anchor' : 'dead-anchor';
        return { kind, path: note.entry.path, line: lineOf(note, anchor), message: describeDead(found) };
      }),
      ...unconfirmed.unknownCommits.map(({ note, anchor, commit }): CheckFinding => {
        const message = [toName(anchor), ' names a commit that the repository does not have: ', toName(commit)];
        return { kind: 'dead-anchor', path: note.entry.path, line: lineOf(note, anchor), message };
      }),
      ...unconfirmed.findings.map((found): CheckFinding => {
        const { note, anchors } = found;
        return { kind: 'unconfirmed', path: note.entry.path, line: lineOf(note, anchors[0]), message: describeUnconfirmed(found) };
      }),
    ],
    incomplete: [...new Set([...dead.incomplete, ...unconfirmed.incomplete])],
  };
}

function describeDead({ anchor, problem, movedTo }: DeadAnchor): readonly MessagePart[] {
  if (problem !== undefined) return [toName(anchor), `: ${problem}`];
  if (movedTo !== undefined) return [toName(anchor), ' is now ', toName(movedTo)];
  return [toName(anchor), ' matches no file of the repository'];
}

function describeUnconfirmed({ changes, confirmed: { how, by, at, commit } }: UnconfirmedNote): readonly MessagePart[] {
  const [first] = changes;
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : '';
  const day = at.slice(0, 10);
  switch (how) {
    case 'verified':
      return [...describeChange(first), `${more} since `, toName(by ?? ''), ` confirmed the note on ${day}`];
    case 'anchor':
      return [...describeChange(first), `${more} since commit `, toName(commit.slice(0, MAX_ID_CHARACTERS)), ', at which it was confirmed'];
    case 'commit':
      return [...describeChange(first), `${more} since the note was last changed on ${day}`];
  }
}

function describeChange(change: CodeChange | undefined): readonly MessagePart[] {
  const verbs = { changed: ' changed', added: ' was added', removed: ' was removed', renamed: ' was renamed' };
  return change === undefined ? [] : [toName(change.path), verbs[change.kind]];
}

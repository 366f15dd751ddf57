import type { CheckoutFiles } from '../../git/checkout-files.ts';
import type { GitCommit } from '../../git/commits.ts';
import { findCommitsAt, findLastCommits } from '../../git/last-commits.ts';
import type { CommitAt, LastCommit } from '../../git/last-commits.ts';
import type { Anchor } from '../../note/anchors/anchors.ts';
import { judgeConfirmations, readFreshness, VERIFIED } from '../../note/freshness.ts';
import type { Confirmation } from '../../note/freshness.ts';
import type { Vault } from '../vault.ts';
import { AnchorIndex, listAnchoredNotes } from './anchored-notes.ts';
import type { AnchoredNote } from './anchored-notes.ts';
import { CodeChanges } from './code-changes.ts';
import type { CodeChange } from './code-changes.ts';
import type { CodeHistory } from './code.ts';
import { describeBarred, describeUnread } from './find-dead-anchors.ts';
import type { Found } from './find-dead-anchors.ts';

/** By what a note was confirmed last: an entry of `verified`, the commit of an anchor, or the note's own last commit. */
export interface Confirmed {
  readonly how: 'verified' | 'anchor' | 'commit';
  /** ISO 8601. */
  readonly at: string;
  /** Of an entry of `verified`. */
  readonly by?: string;
  /** The commit with which the code is compared. */
  readonly commit: string;
}

/** A note that nobody confirmed since the code that it is about changed. */
export interface UnconfirmedNote {
  readonly note: AnchoredNote;
  /** The anchors with changed code, as they are written. */
  readonly anchors: readonly string[];
  readonly confirmed: Confirmed;
  /** Renames alone are not among them. */
  readonly changes: readonly CodeChange[];
}

export interface Unconfirmed extends Found<UnconfirmedNote> {
  /** Commits that anchors name and the repository does not have. */
  readonly unknownCommits: readonly { readonly note: AnchoredNote; readonly anchor: string; readonly commit: string }[];
}

/** An anchor, and the commit that its code is compared with. */
interface Base {
  readonly note: AnchoredNote;
  readonly anchor: Anchor;
  readonly commit: GitCommit;
  readonly confirmed: Confirmed;
  readonly isCut: boolean;
}

/**
 * Finds notes whose code changed since they were confirmed: by the newest of `verified` and of the anchor's commit, else by their own last
 * commit. What was confirmed when it was committed is compared with that commit. A note that was never committed, or is being edited, counts
 * as confirmed now. Where history is missing, changes before it began are not told.
 */
export async function findUnconfirmed(
  vault: Pick<Vault, 'graph' | 'code' | 'ports'>,
  notes = listAnchoredNotes(vault),
): Promise<Unconfirmed> {
  const anchored = notes.filter(({ anchors }) => anchors.length > 0);
  const nothing = { findings: [], incomplete: [], objectsRead: 0, unknownCommits: [] };
  const place = vault.code.place();
  if (anchored.length === 0 || place.kind === 'folder') return nothing;
  if (place.kind === 'barred') return { ...nothing, incomplete: [describeBarred(place.reason)] };
  try {
    const files = await vault.code.files();
    return await vault.code.withHistory((history) => find(vault, history, files, anchored));
  } catch (error) {
    return { ...nothing, incomplete: [describeUnread(error)] };
  }
}

async function find(
  vault: Pick<Vault, 'graph' | 'ports'>,
  history: CodeHistory,
  files: CheckoutFiles,
  notes: readonly AnchoredNote[],
): Promise<Unconfirmed> {
  const { commits } = history;
  const { bases, unknownCommits } = await findBases(vault, history, files, notes);
  const index = new AnchorIndex(bases.map(({ note, anchor }) => ({ ...note, anchors: [anchor] })));
  const code = await CodeChanges.open(history, files, index);
  const findings = new Map<string, UnconfirmedNote>();
  const groups = new Map<string, Base[]>();
  for (const base of bases) groups.set(base.commit.id, [...(groups.get(base.commit.id) ?? []), base]);
  for (const group of groups.values()) {
    const [{ commit } = { commit: history.head }] = group;
    const scope = new AnchorIndex(group.map(({ note, anchor }) => ({ ...note, anchors: [anchor] })));
    const changes = (await code.since(commit, scope)).filter(({ kind }) => kind !== 'renamed');
    if (changes.length === 0) continue;
    for (const { note, anchor, confirmed } of group) {
      const own = changes.filter(
        (change) =>
          [change.path, change.from ?? change.path].some((path) => anchor.matches(path)) && !isConfirmedToo(files, change, confirmed),
      );
      const isSame = anchor.hash !== null && anchor.isPlain && files.idOf(anchor.pattern)?.startsWith(anchor.hash) === true;
      if (own.length === 0 || isSame) continue;
      const known = findings.get(note.entry.path);
      findings.set(note.entry.path, {
        note,
        anchors: [...(known?.anchors ?? []), anchor.text],
        confirmed: known?.confirmed ?? confirmed,
        changes: [...new Set([...(known?.changes ?? []), ...own])],
      });
    }
  }
  const cut = new Set(bases.filter(({ isCut }) => isCut).map(({ note }) => note)).size;
  const sorted = [...findings.values()].sort((a, b) => (a.note.entry.path < b.note.entry.path ? -1 : 1));
  return { findings: sorted, incomplete: cut === 0 ? [] : [describeCut(cut)], objectsRead: commits.objectsRead, unknownCommits };
}

/** Whether a change that is not committed was made before the note was confirmed. */
function isConfirmedToo(files: CheckoutFiles, { path, isUncommitted }: CodeChange, { how, at }: Confirmed): boolean {
  const changed = isUncommitted === true && how === 'verified' ? files.changedMs(path) : null;
  return changed !== null && changed <= Date.parse(at);
}

function describeCut(notes: number): string {
  const whose = notes === 1 ? 'One note was' : `${notes} notes were`;
  return `${whose} confirmed before the history that is here begins, so that earlier changes of the code are not known. In a shallow clone, as in CI, fetch the history (fetch-depth: 0).`;
}

/** Finds for each anchor the commit to compare with; none for a note that is being written. */
async function findBases(
  { ports }: Pick<Vault, 'ports'>,
  { commits, head }: CodeHistory,
  files: CheckoutFiles,
  notes: readonly AnchoredNote[],
): Promise<{ readonly bases: readonly Base[]; readonly unknownCommits: Unconfirmed['unknownCommits'] }> {
  const now = ports.clock.now();
  const verified = new Map(notes.map((note) => [note, confirmationOf(note, now)]));
  const committed: (readonly [place: string, since: number | null])[] = [];
  for (const note of notes) {
    const confirmed = verified.get(note) ?? null;
    const entry = await commits.entryAt(head, note.place);
    const isEdited = entry === null || entry.id !== files.idOf(note.place);
    if (entry !== null && (confirmed !== null || !isEdited))
      committed.push([note.place, confirmed === null ? null : Date.parse(confirmed.at)]);
  }
  const last = await findLastCommits(commits, head, new Map(committed));
  const times = [...verified.values()].flatMap((each) => (each === null ? [] : [Date.parse(each.at)]));
  const at = await findCommitsAt(commits, head, times);
  const bases: Base[] = [];
  const unknownCommits: Unconfirmed['unknownCommits'][number][] = [];
  for (const note of notes) {
    const own = baseOf(verified.get(note) ?? null, last.get(note.place) ?? null, at);
    for (const anchor of note.anchors) {
      const named = anchor.commit === null ? null : await commits.find(anchor.commit);
      if (anchor.commit !== null && named === null) unknownCommits.push({ note, anchor: anchor.text, commit: anchor.commit });
      const isNamed = named !== null && (own?.confirmed.how !== 'verified' || named.time > Date.parse(own.confirmed.at));
      const confirmed = named === null ? null : ({ how: 'anchor', at: new Date(named.time).toISOString(), commit: named.id } as const);
      if (isNamed && confirmed !== null) bases.push({ note, anchor, commit: named, confirmed, isCut: false });
      else if (own !== null) bases.push({ note, anchor, ...own });
    }
  }
  return { bases, unknownCommits };
}

/** Reads no frontmatter that has no such property twice: the note has one already. */
function confirmationOf({ entry }: AnchoredNote, now: number): Confirmation | null {
  const mayHave = entry.yaml === undefined || entry.yaml.includes(VERIFIED);
  return mayHave ? judgeConfirmations(readFreshness(entry.properties), now).confirmed : null;
}

/**
 * Returns the commit that a note's code is compared with. A confirmation is mostly committed together with what it is about, so that the
 * first commit of the note from then on has the code that was confirmed; else the branch as it was then.
 */
function baseOf(
  confirmed: Confirmation | null,
  own: LastCommit | null,
  at: ReadonlyMap<number, CommitAt>,
): Pick<Base, 'commit' | 'confirmed' | 'isCut'> | null {
  const found = own ?? (confirmed === null ? null : (at.get(Date.parse(confirmed.at)) ?? null));
  if (found === null) return null;
  const { commit, isCut } = found;
  const how =
    confirmed === null
      ? ({ how: 'commit', at: new Date(commit.time).toISOString() } as const)
      : ({ how: 'verified', ...confirmed } as const);
  return { commit, isCut, confirmed: { ...how, commit: commit.id } };
}

import { setImmediate } from 'node:timers/promises';
import type { GraphView } from '../../graph/view.ts';
import { compareText } from '../../note/text.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';
import type { Vault } from '../../vault/vault.ts';
import { DOCTOR_SHOWS } from '../../vault/verify.ts';
import type { SetAside } from '../../vault/verify.ts';
import { movedRoots } from '../../vault/roots.ts';
import type { ToolsetChecks } from '../operation.ts';
import { MAX_LISTED, listSome, shorten } from '../shorten.ts';
import { findStale } from '../freshness/find-stale.ts';
import type { StaleItem } from '../freshness/find-stale.ts';
import { FINDING_KINDS } from './finding.ts';
import type { Background, Finding, CheckInput } from './finding.ts';
import { findUnusedAttachments } from './attachments.ts';
import { duplicateIds, findDuplicateIds, findSingletons, findCaseCollisions } from './duplicates.ts';
import { findLinks, findMissingHeadings, findUnresolved } from './links.ts';
import { findUnreadableLines } from './sections.ts';
import { findInTexts, findTags, findTagsInSteps, findUnreadable } from './texts.ts';

type Check = (input: CheckInput) => readonly Finding[];

const CHECKS: readonly Check[] = [
  findUnreadable,
  findUnreadableLines,
  findDuplicateIds,
  findCaseCollisions,
  findLinks,
  findSingletons,
  findUnusedAttachments,
];

/** Checks with fixable findings. They are synchronous, so that they can run again under the write lock. */
const FIXABLE: readonly Check[] = [findDuplicateIds, findUnresolved, findTags];

/** With more duplicate ids a folder was copied, and file ages tell copies from originals. */
const MAX_HISTORIES = 50;

interface DiagnoseOptions {
  /** Compares the index with a fresh read of the vault. */
  readonly rebuild: boolean;
  readonly checks: readonly ToolsetChecks[];
  /** What was found about code; none where that is not asked for. */
  readonly aboutCode?: readonly Finding[];
}

/** Returns all problems of a vault by kind and path. Changes nothing. */
export async function diagnose(vault: Vault, { rebuild, checks, aboutCode = [] }: DiagnoseOptions): Promise<readonly Finding[]> {
  const { findConflictCopies } = await import('./alike/conflict-copies.ts');
  const { journal, obstacles, setAside, drift } = await vault.health.verify({ rebuild });
  const input = createCheckInput(vault, vault.graph, await readBackground(vault));
  const findings = [
    ...vault.health
      .warnings()
      .filter(isListed)
      .map((message): Finding => ({ kind: 'vault', paths: [], message })),
    ...movedRoots(vault).map(({ paths, message }): Finding => ({ kind: 'vault', paths, message })),
    ...journal.slice(0, MAX_LISTED).map((name): Finding => ({
      kind: 'journal',
      paths: [`.roux/journal/${name}`],
      message: `.roux/journal/${name} belongs to an unfinished write; the next write completes it or rolls it back`,
    })),
    ...describeRest('.roux/journal', journal.length - MAX_LISTED),
    ...obstacles.slice(0, MAX_LISTED).map((path): Finding => ({
      kind: 'vault',
      paths: [path],
      message: `${path} was moved aside: roux needs a folder there, but found a link or a file; inspect it, then delete it`,
    })),
    ...describeSetAsides(setAside),
    ...drift.map((path): Finding => ({
      kind: 'index',
      paths: [path],
      message: `the index of ${path} is wrong; delete .roux/cache and start again`,
    })),
    ...(await runChecks(input)),
    ...(await runInSlices(createSlice(), findMissingHeadings(input))),
    ...(await runInSlices(createSlice(), findTagsInSteps(input))),
    ...(await findConflictCopies(input)),
    ...checks.flatMap((each) => each.all()),
    ...(await findNonconforming(vault)),
    ...aboutCode,
    ...(await findInTexts(vault, input.entries, checks)),
    ...describeStale(findStale(vault, checks)),
  ];
  const order = (finding: Finding): number => FINDING_KINDS.indexOf(finding.kind);
  return findings
    .map((finding, index) => ({ finding, index }))
    .sort((a, b) => order(a.finding) - order(b.finding) || comparePaths(a.finding, b.finding) || a.index - b.index)
    .map(({ finding }) => finding);
}

/** Runs the checks of the whole vault, and lets other work run after each. */
async function runChecks(input: CheckInput): Promise<readonly Finding[]> {
  const found: (readonly Finding[])[] = [];
  for (const check of CHECKS) {
    found.push(check(input));
    await setImmediate();
  }
  return found.flat();
}

const MAX_NAME_CHARACTERS = 200;
/** Stale notes, observations and facts that a finding names. */
const MAX_LISTED_STALE = 5;

/** Describes rejected journal entries. Anybody can ship any number of them, so the lists are limited; entries that can be completed come first. */
export function describeSetAsides(setAside: readonly SetAside[]): readonly Finding[] {
  const [open, closed] = [setAside.filter(({ left }) => left !== null), setAside.filter(({ left }) => left === null)];
  const listed = [...open.slice(0, MAX_LISTED), ...closed.slice(0, MAX_LISTED)];
  return [...listed.map(describeSetAside), ...describeRest('.roux/journal/rejected', setAside.length - listed.length)];
}

function describeRest(folder: string, count: number): readonly Finding[] {
  if (count <= 0) return [];
  return [{ kind: 'journal', paths: [folder], message: `${folder} holds ${count} more like these` }];
}

/** Describes one rejected journal entry. */
function describeSetAside({ id, operation, timestamp, left, ...written }: SetAside): Finding {
  const paths = written.paths.map((path) => shorten(path, MAX_NAME_CHARACTERS));
  const path = `.roux/journal/rejected/${id}.json`;
  if (operation === null)
    return {
      kind: 'journal',
      paths: [path],
      message: `${path} is damaged and was moved aside; it is of no use and can be deleted`,
    };
  const what = `the unfinished write ${shorten(JSON.stringify(operation), MAX_NAME_CHARACTERS)} of ${shorten(timestamp ?? 'an unknown time', MAX_NAME_CHARACTERS)}, which would touch ${listSome(paths)}`;
  const message = `${path} was moved aside: ${what}; it was not written in this folder, or not for its present files`;
  const named = [path, ...paths.slice(0, MAX_LISTED)];
  if (left === null) return { kind: 'journal', paths: named, message: `${message}. It cannot be completed; delete it` };
  return {
    kind: 'journal',
    paths: named,
    message,
    fix: { summary: 'complete it, if you know where it comes from', files: [], setAside: id },
  };
}

/** Finds what keeps a bundle from conforming to the Open Knowledge Format; `roux okf check` has more. */
async function findNonconforming(vault: Vault): Promise<readonly Finding[]> {
  if (vault.graph.bundles.tops.length === 0) return [];
  const { findOkf } = await import('../okf/find-okf.ts');
  return findOkf(vault, { withLinks: false }).flatMap(({ path, line, level, message, remedy }): readonly Finding[] =>
    level === 'error' ? [{ kind: 'okf', paths: [path], message: `${path}, line ${line}: ${message}; ${remedy}` }] : [],
  );
}

/** Describes everything stale in one finding: a vault may have thousands of notes whose day came. */
function describeStale(items: readonly StaleItem[]): readonly Finding[] {
  if (items.length === 0) return [];
  const first = items.slice(0, MAX_LISTED_STALE).map(({ path, stale_after: day, misdated }) => {
    const why =
      day === undefined ? `confirmed in the future (${misdated?.at.slice(0, 10) ?? ''}), which counts for nothing` : `since ${day}`;
    return `${shorten(path, MAX_NAME_CHARACTERS)} ${why}`;
  });
  const rest = items.length > first.length ? ` and ${items.length - first.length} more` : '';
  const message = `stale: ${first.join(', ')}${rest}; look whether it still holds and confirm it ("roux review --stale" lists all)`;
  return [{ kind: 'stale', paths: [...new Set(items.slice(0, MAX_LISTED).map(({ path }) => path))], message }];
}

/** Returns the findings that can be fixed in the present graph. */
export function findFixable(vault: Vault, graph: GraphView, background: Background): readonly Finding[] {
  const input = createCheckInput(vault, graph, background);
  return FIXABLE.flatMap((check) => check(input)).filter(({ fix }) => fix !== undefined);
}

/** Reads from the history which notes were moved, and where ids were last seen. */
export async function readBackground(vault: Vault): Promise<Background> {
  const homes = new Map<string, string>();
  const nodes = duplicateIds([...vault.graph.entries({ includeHidden: true })]).slice(0, MAX_HISTORIES);
  // Foreign lines, as in a clone, count only where no own line exists.
  for (const isOwn of [true, false]) {
    const unknown = nodes.filter((id) => !homes.has(id));
    for (const [id, events] of await vault.history.ofNotes({ nodes: unknown, limit: 20, isOwn })) {
      // A file that came from outside may be the copy.
      const known = events.find(({ changes }) => !changes.some(({ field, before }) => field === 'file' && before === null));
      if (known !== undefined) homes.set(id, known.path);
    }
  }
  return { movedNotes: await vault.history.movedNotes(), homes };
}

function createCheckInput(vault: Vault, graph: GraphView, background: Background): CheckInput {
  return { vault, graph, entries: [...graph.entries({ includeHidden: true })], background };
}

/** Returns whether to list a warning: case collisions are findings already, and another warning only refers to this command. */
function isListed(warning: string): boolean {
  return !warning.includes('differ only by case or Unicode form') && !warning.includes(DOCTOR_SHOWS);
}

function comparePaths(a: Finding, b: Finding): number {
  return compareText(a.paths[0] ?? '', b.paths[0] ?? '');
}

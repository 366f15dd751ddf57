import type { GraphView } from '../../graph/view.ts';
import { compareText } from '../../note/text.ts';
import type { Vault } from '../../vault/vault.ts';
import type { SetAside } from '../../vault/verify.ts';
import { movedRoots } from '../../vault/roots.ts';
import type { ToolsetChecks } from '../operation.ts';
import { shorten } from '../shorten.ts';
import { FINDING_KINDS, listSome, MAX_LISTED } from './finding.ts';
import type { Background, Finding, Look } from './finding.ts';
import { findUnusedAttachments } from './attachments.ts';
import { duplicateIds, findDuplicateIds, findSingletons, findTwins } from './duplicates.ts';
import { findLinks, findUnresolved } from './links.ts';
import { findUnreadableLines } from './sections.ts';
import { findConflictCopies, findInTexts, findTags, findUnreadable } from './texts.ts';
import { findTaskCycles, findUnknownTypes } from './types.ts';

type Check = (look: Look) => readonly Finding[];

const CHECKS: readonly Check[] = [
  findUnreadable,
  findUnreadableLines,
  findConflictCopies,
  findDuplicateIds,
  findTwins,
  findLinks,
  findTags,
  findTaskCycles,
  findUnknownTypes,
  findSingletons,
  findUnusedAttachments,
];

/** Checks whose findings can carry a fix; they wait for nothing, so that they can be asked again under the writer lock. */
const FIXABLE: readonly Check[] = [findDuplicateIds, findUnresolved, findTags];

/** Where more ids are doubled a folder was copied, and the age of the files tells. */
const MAX_HISTORIES = 50;

/** How a vault is looked through: with `rebuild` the whole of it is read anew and compared; `own` is what its toolsets check themselves. */
interface Looking {
  readonly rebuild: boolean;
  readonly own?: ToolsetChecks | undefined;
}

/** All that is wrong in a vault, by kind, then path. Looks, changes nothing. */
export async function diagnose(vault: Vault, { rebuild, own }: Looking): Promise<readonly Finding[]> {
  const { journal, obstacles: aside, setAside, drift } = await vault.verify({ rebuild });
  const look = lookAt(vault, vault.graph, await readBackground(vault));
  const findings = [
    ...vault
      .warnings()
      .filter(isOnlyThere)
      .map((message): Finding => ({ kind: 'vault', paths: [], message })),
    ...movedRoots(vault).map(({ paths, message }): Finding => ({ kind: 'vault', paths, message })),
    ...journal.slice(0, MAX_LISTED).map((name): Finding => ({
      kind: 'journal',
      paths: [`.roux/journal/${name}`],
      message: `.roux/journal/${name} is left of a write that did not end; the next write ends it or takes it back`,
    })),
    ...theRest('.roux/journal', journal.length - MAX_LISTED),
    ...aside.slice(0, MAX_LISTED).map((path): Finding => ({
      kind: 'vault',
      paths: [path],
      message: `${path} was put aside: it stood where roux needs a folder of its own, and was a link or no folder; look at it, then delete it`,
    })),
    ...describeSetAsides(setAside),
    ...drift.map((path): Finding => ({
      kind: 'index',
      paths: [path],
      message: `${path} is indexed otherwise than a fresh reading has it; delete .roux/cache and start again`,
    })),
    ...CHECKS.flatMap((check) => check(look)),
    ...(own?.all() ?? []),
    ...(await findInTexts(vault, look.entries, own)),
  ];
  const order = (finding: Finding): number => FINDING_KINDS.indexOf(finding.kind);
  return findings
    .map((finding, index) => ({ finding, index }))
    .sort((a, b) => order(a.finding) - order(b.finding) || comparePaths(a.finding, b.finding) || a.index - b.index)
    .map(({ finding }) => finding);
}

const MAX_NAME_CHARACTERS = 200;

/** Who ships a journal decides how much lies in it: the first are told one by one, those first that can be carried out. */
export function describeSetAsides(setAside: readonly SetAside[]): readonly Finding[] {
  const [open, closed] = [setAside.filter(({ left }) => left !== null), setAside.filter(({ left }) => left === null)];
  const told = [...open.slice(0, MAX_LISTED), ...closed.slice(0, MAX_LISTED)];
  return [...told.map(describeSetAside), ...theRest('.roux/journal/rejected', setAside.length - told.length)];
}

function theRest(folder: string, count: number): readonly Finding[] {
  if (count <= 0) return [];
  return [{ kind: 'journal', paths: [folder], message: `${folder} holds ${count} more like these` }];
}

/** What a person is told of a write that was not carried out. */
function describeSetAside({ id, operation, timestamp, left, ...written }: SetAside): Finding {
  const paths = written.paths.map((path) => shorten(path, MAX_NAME_CHARACTERS));
  const path = `.roux/journal/rejected/${id}.json`;
  if (operation === null)
    return {
      kind: 'journal',
      paths: [path],
      message: `${path} was put aside, because it is damaged; it is of no use and can be deleted`,
    };
  const what = `the unfinished write ${shorten(JSON.stringify(operation), MAX_NAME_CHARACTERS)} of ${shorten(timestamp ?? 'an unknown time', MAX_NAME_CHARACTERS)}, which would touch ${listSome(paths)}`;
  const message = `${path} was put aside: ${what}; it was not written in this folder, or is not about the files that are here now`;
  const named = [path, ...paths.slice(0, MAX_LISTED)];
  if (left === null) return { kind: 'journal', paths: named, message: `${message}. It cannot be carried out; delete it` };
  return {
    kind: 'journal',
    paths: named,
    message,
    fix: { summary: 'carry it out, if you know where it comes from', files: [], setAside: id },
  };
}

/** The findings that can be put right, as the graph is at this moment. */
export function findFixable(vault: Vault, graph: GraphView, background: Background): readonly Finding[] {
  const look = lookAt(vault, graph, background);
  return FIXABLE.flatMap((check) => check(look)).filter(({ fix }) => fix !== undefined);
}

/** What the history knows of notes that moved and of ids that several notes have. */
export async function readBackground(vault: Vault): Promise<Background> {
  const homes = new Map<string, string>();
  const nodes = duplicateIds([...vault.graph.entries({ includeHidden: true })]).slice(0, MAX_HISTORIES);
  // Lines that were not written here count where no own line tells, as in a clone.
  for (const isOwn of [true, false]) {
    const unknown = nodes.filter((id) => !homes.has(id));
    for (const [id, events] of await vault.histories({ nodes: unknown, limit: 20, isOwn })) {
      // A file that came from outside may be the copy.
      const known = events.find(({ changes }) => !changes.some(({ field, before }) => field === 'file' && before === null));
      if (known !== undefined) homes.set(id, known.path);
    }
  }
  return { movedNotes: await vault.movedNotes(), homes };
}

function lookAt(vault: Vault, graph: GraphView, background: Background): Look {
  return { vault, graph, entries: [...graph.entries({ includeHidden: true })], background };
}

/** Twins are found here, with their paths; and a warning that sends people here need not be repeated. */
function isOnlyThere(warning: string): boolean {
  return !warning.includes('differ only by case or Unicode form') && !warning.includes('"roux doctor" tells of');
}

function comparePaths(a: Finding, b: Finding): number {
  return compareText(a.paths[0] ?? '', b.paths[0] ?? '');
}

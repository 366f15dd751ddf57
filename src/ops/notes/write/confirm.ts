import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { infoOf, readObservationInfo, setObservationInfo } from '../../../note/body/observation-properties.ts';
import { decodeObservation } from '../../../note/body/observation.ts';
import { readBodySection } from '../../../note/body/section.ts';
import type { NoteChange } from '../../../note/change.ts';
import { valueAt } from '../../../note/frontmatter/property-edit.ts';
import { revOf } from '../../../note/frontmatter/property-value.ts';
import { dayOf, freshnessKey, isStale, readDay, readFreshness, STALE_AFTER, VERIFIED, withConfirmation } from '../../../note/freshness.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { currentTime, defineOperation, writeMeta } from '../../operation.ts';
import type { ConfirmedFacts, Confirming, OperationContext } from '../../operation.ts';
import { findNote, findNoteUnderLock, throwNoteNotFound } from '../../reference.ts';
import { listSome, shorten } from '../../shorten.ts';

const MAX_ITEMS = 100;
const MAX_SHOWN_CHARACTERS = 200;

/** Something that was confirmed, and the day from which on it is stale. */
export interface Confirmed {
  readonly path: string;
  readonly observation?: string;
  readonly fact?: string;
  readonly uuid?: string;
  readonly stale_after?: string;
}

interface PlannedConfirmation {
  readonly confirmed: readonly Confirmed[];
  readonly files: readonly FileChange[];
}

/** Records that somebody found a note, observations or facts to be true, and until when they count (K-18). */
export const confirm = defineOperation({
  name: 'confirm',
  toolset: 'vault',
  title: 'Confirm',
  summary: 'Confirm that a note, its observations or facts still hold: records you, the time, and until when.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({
    node: z.string().optional().describe('Id, path, title or alias; required without facts'),
    observations: z.array(z.string().min(1)).min(1).max(MAX_ITEMS).optional().describe('Of node, word for word'),
    facts: z.array(z.string().min(1)).min(1).max(MAX_ITEMS).optional().describe('uuids'),
    stale_after: z.string().nullable().optional().describe('YYYY-MM-DD; null: never; default: unchanged'),
  }),
  async run(context, { node, observations, facts = [], stale_after: day }) {
    if (node === undefined && (facts.length === 0 || observations !== undefined))
      throw new RouxError('INVALID_PARAMS', 'confirm: give node (observations are those of a node), or facts.', { field: 'node' });
    const { actor: by } = context;
    const confirming: Confirming = { by, at: currentTime(context), staleAfter: typeof day === 'string' ? checkDay(day) : day };
    const found = node === undefined ? null : ((await findNote(context, node)) ?? throwNoteNotFound(context, node));
    const toolsets = facts.length === 0 ? [] : await context.toolsets();
    const { result, batch, diff } = await context.vault.writes.write(writeMeta(context, 'confirm'), async (graph) => {
      const entry =
        found === null ? null : ((await findNoteUnderLock(context, found, node ?? '')) ?? throwNoteNotFound(context, node ?? ''));
      const ofNode = entry === null ? { confirmed: [], files: [] } : planNode(context, entry, { observations, confirming });
      const ofFacts = await Promise.all(
        toolsets.flatMap(({ guards }) => guards?.planConfirmation?.(context.vault, facts, confirming) ?? []),
      );
      checkFacts(facts, ofFacts);
      const confirmed = [...ofNode.confirmed, ...ofFacts.flatMap((each) => each.facts).map(toConfirmed)];
      return {
        files: joinByNote(graph, [...ofNode.files, ...ofFacts.flatMap(({ files }) => files)]),
        result: { by, at: confirming.at, confirmed },
      };
    });
    warnOfStale(context, result.confirmed);
    if (diff !== undefined) return { ...result, dry_run: true as const, diff };
    return { ...result, ...(batch === null ? {} : { batch }) };
  },
});

/** Returns the day. Throws `INVALID_PARAMS` for what is none, such as a year. */
function checkDay(text: string): string {
  const day = readDay(text);
  if (day !== null) return day;
  const shown = JSON.stringify(shorten(text, 40));
  throw new RouxError('INVALID_PARAMS', `stale_after: ${shown} is not a day; give one such as 2027-01-31, or null for never.`, {
    field: STALE_AFTER,
  });
}

function planNode(
  context: OperationContext,
  entry: NoteEntry,
  { observations, confirming }: { readonly observations: readonly string[] | undefined; readonly confirming: Confirming },
): PlannedConfirmation {
  const { path, properties } = entry;
  const { staleAfter, ...confirmation } = confirming;
  const dayAfter = (now: string | null): Pick<Confirmed, 'stale_after'> => {
    const day = staleAfter === undefined ? now : staleAfter;
    return day === null ? {} : { stale_after: day };
  };
  const renewed = (verified: PropertyValue | undefined): PropertyValue =>
    withConfirmation(verified, confirmation) ?? refuseOwnProperty(path, verified);
  if (observations === undefined) {
    const [verified, stale] = [freshnessKey(properties, VERIFIED), freshnessKey(properties, STALE_AFTER)];
    const changes: NoteChange[] = [{ op: 'set', key: verified, value: renewed(valueAt(properties, verified)), keepsAliases: true }];
    if (staleAfter === null) changes.push({ op: 'unset', key: stale });
    else if (staleAfter !== undefined) changes.push({ op: 'set', key: stale, value: staleAfter });
    return {
      confirmed: [{ path, ...dayAfter(readFreshness(properties).staleAfter) }],
      files: [{ kind: 'change', path, changes: [...changes, { op: 'touch', at: confirming.at }] }],
    };
  }
  const wanted = [...new Set(observations)];
  checkObservations(context, path, wanted);
  const info = readObservationInfo(properties);
  const changes = wanted.flatMap((text): NoteChange[] => [
    setObservationInfo(text, VERIFIED, renewed(infoOf(info, text)[VERIFIED])),
    ...(staleAfter === undefined ? [] : [setObservationInfo(text, STALE_AFTER, staleAfter)]),
  ]);
  return {
    confirmed: wanted.map((text) => ({
      path,
      observation: shorten(text, MAX_SHOWN_CHARACTERS),
      ...dayAfter(readFreshness(infoOf(info, text)).staleAfter),
    })),
    files: [{ kind: 'change', path, changes: [...changes, { op: 'touch', at: confirming.at }] }],
  };
}

function refuseOwnProperty(path: string, verified: PropertyValue | undefined): never {
  const shown = shorten(JSON.stringify(verified), MAX_SHOWN_CHARACTERS);
  throw new RouxError(
    'INVALID_PARAMS',
    `${path} has a property verified of its own, ${shown}, which cannot hold a confirmation. Remove it, or make it a list of {by, at}, first.`,
    { path },
  );
}

/** Throws `NOT_FOUND` unless the note has all these observations. */
function checkObservations({ vault }: OperationContext, path: NoteEntry['path'], wanted: readonly string[]): void {
  const text = vault.notes.readUnstable(path)?.note.text ?? '';
  const present = new Set((readBodySection(text, 'Observations')?.entries ?? []).map(({ line }) => decodeObservation(line)));
  const missing = wanted.filter((each) => !present.has(each)).map((each) => shorten(each, MAX_SHOWN_CHARACTERS));
  if (missing.length === 0) return;
  const listed = listSome(missing.map((each) => JSON.stringify(each)));
  throw new RouxError(
    'NOT_FOUND',
    `${path} has no such observation: ${listed}. Give each word for word and whole; nothing was confirmed.`,
    {
      path,
      missing: missing.slice(0, 10),
    },
  );
}

/** Throws `NOT_FOUND` unless all facts were found. */
function checkFacts(wanted: readonly string[], found: readonly ConfirmedFacts[]): void {
  const known = new Set(found.flatMap(({ facts }) => facts.map(({ uuid }) => uuid)));
  const missing = wanted.filter((uuid) => !known.has(uuid)).map((uuid) => shorten(uuid, MAX_SHOWN_CHARACTERS));
  if (missing.length === 0) return;
  throw new RouxError('NOT_FOUND', `There is no fact ${listSome(missing)}; kg_search_facts gives uuids. Nothing was confirmed.`, {
    missing: missing.slice(0, 10),
  });
}

function toConfirmed({ uuid, fact, path, staleAfter }: ConfirmedFacts['facts'][number]): Confirmed {
  return { path, fact: shorten(fact, MAX_SHOWN_CHARACTERS), uuid, ...(staleAfter === null ? {} : { stale_after: staleAfter }) };
}

/** Joins the changes of each note. A confirmation is no revision of notes that people write, so those are not stamped. */
function joinByNote(graph: GraphView, files: readonly FileChange[]): readonly FileChange[] {
  const byPath = new Map<string, Extract<FileChange, { kind: 'change' }>>();
  for (const file of files) {
    if (file.kind !== 'change') continue;
    const before = byPath.get(file.path)?.changes.filter(({ op }) => op !== 'touch') ?? [];
    byPath.set(file.path, { ...file, changes: [...before, ...file.changes] });
  }
  return [...byPath.values()].map((file) => {
    const isStamped = revOf(graph.get(file.path)?.properties ?? {}) !== null;
    return isStamped ? file : { ...file, changes: file.changes.filter(({ op }) => op !== 'touch') };
  });
}

/** Warns that something is as stale as before, or at once. */
function warnOfStale(context: OperationContext, confirmed: readonly Confirmed[]): void {
  const today = dayOf(context.vault.ports.clock.now());
  const stale = confirmed.find(({ stale_after: day = null }) => isStale({ staleAfter: day }, today));
  if (stale?.stale_after === undefined) return;
  const name = stale.fact ?? stale.observation ?? stale.path;
  context.warn(`${JSON.stringify(name)} is stale since ${stale.stale_after} all the same; pass stale_after, a later day or null.`);
}

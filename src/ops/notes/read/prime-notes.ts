import { kindOfChange } from '../../../vault/history/change-kind.ts';
import { isWebAuthor } from '../../../vault/history/web-author.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { OperationContext, PrimeList } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { openCounts } from './open-counts.ts';

const MAX_FOLDERS = 8;
const MAX_NAMES = 10;
const MAX_HUBS = 8;
const MAX_CHANGED = 15;
const MAX_NAME_CHARACTERS = 80;
/** Changes of the history that are looked at. */
const MAX_EVENTS = 5_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** How far back changes are told if it is not known when a session ended: a day, or to the last write of an agent, but no further than this. */
const MAX_DAYS = 7;

/** Lists what there is in a vault, and the notes that people changed since the last session. */
export async function primeNotes({ vault }: OperationContext, sinceMs: number | null): Promise<readonly PrimeList[]> {
  return [await listChanged(vault, sinceMs), { name: 'vault', lines: await describeVault(vault), more: null }];
}

async function describeVault(vault: Vault): Promise<readonly string[]> {
  const { graph } = vault;
  const { size } = graph.listed({});
  if (size === 0) return [];
  const { size: sizes, health } = await vault.derived(openCounts)();
  const counted = (items: readonly (readonly [string, number])[], limit: number): string => {
    const named = items.slice(0, limit).map(([name, count]) => `${shorten(name, MAX_NAME_CHARACTERS)} (${count})`);
    return `${named.join(', ')}${items.length > limit ? ` and ${items.length - limit} more` : ''}`;
  };
  const line = (title: string, items: readonly (readonly [string, number])[], limit: number): readonly string[] =>
    items.length === 0 ? [] : [`${title}: ${counted(items, limit)}`];
  const hubs = graph.walk
    .hubs({ metric: 'in_degree', limit: MAX_HUBS })
    .filter(({ score }) => score > 1)
    .map(({ entry: { title }, score }) => [title, score] as const);
  const types = graph.facets.types().map(({ type, count }) => [type, count] as const);
  const tags = graph.facets.tags().map(({ tag, count }) => [`#${tag}`, count] as const);
  const faults = (['unresolved', 'ambiguous', 'unreadable'] as const).flatMap((kind) =>
    health[kind] === 0 ? [] : [`${health[kind]} ${kind}`],
  );
  return [
    `${several(size, 'note')}${sizes.attachments === 0 ? '' : `, ${several(sizes.attachments, 'attachment')}`}${faults.length === 0 ? '' : `; links and notes to mend: ${faults.join(', ')}`}`,
    ...line('folders', countFolders(vault), MAX_FOLDERS),
    ...line('most links to', hubs, MAX_HUBS),
    ...line('types', types, MAX_NAMES),
    ...line('tags', tags, MAX_NAMES),
  ];
}

function several(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Counts the notes of the outermost folders, the fullest first. */
function countFolders({ graph }: Vault): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { path } of graph.entries()) {
    const end = path.indexOf('/') + 1;
    if (end > 0) counts.set(path.slice(0, end), (counts.get(path.slice(0, end)) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/** Lists the notes that people changed, outside of roux or with it, the latest first. */
async function listChanged(vault: Vault, sinceMs: number | null): Promise<PrimeList> {
  const now = vault.ports.clock.now();
  const changed = new Map<string, { readonly line: string; readonly atMs: number }>();
  let [seen, hasAgentWritten] = [0, false];
  for await (const event of vault.history.backward()) {
    const recordedMs = Date.parse(event.timestamp);
    const age = now - recordedMs;
    seen += 1;
    if (seen > MAX_EVENTS || (sinceMs === null ? age > MAX_DAYS * DAY_MS || (hasAgentWritten && age > DAY_MS) : recordedMs <= sinceMs))
      break;
    const { agent, path } = event;
    if (agent !== 'external' && agent !== 'cli' && !isWebAuthor(agent)) {
      hasAgentWritten ||= agent !== 'roux';
      continue;
    }
    const atMs = Math.min(recordedMs, arrivedMs(vault, path));
    if (changed.has(path) || vault.settings.isHidden(path) || (sinceMs !== null && atMs <= sinceMs)) continue;
    changed.set(path, { line: `${path} ${kindOfChange(event)} ${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')}`, atMs });
  }
  const lines = [...changed.values()]
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, MAX_CHANGED)
    .map(({ line }) => line);
  return { name: 'changed', lines, more: changed.size - lines.length };
}

/**
 * Returns when a note became on this disk what it is, in milliseconds; `Infinity` for one that is gone. That an edit from outside was made is
 * recorded later, with the next write or now. The time of its text may be older: it stays where a file is renamed or comes from elsewhere.
 */
function arrivedMs({ graph }: Vault, path: string): number {
  const note = graph.get(path);
  return note === null ? Infinity : Number(note.stamp.ctimeNs / 1_000_000n);
}

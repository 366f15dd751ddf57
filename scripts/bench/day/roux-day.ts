import { HUB, type DayVault } from './faults.ts';
import { isSame, UNSURE } from './glance.ts';
import type { DayAsk, DayJob, Ledger, Send } from './ledger.ts';
import { QUESTIONS } from './questions.ts';

/** Answers as far as the day reads them. */
interface Listed {
  readonly nodes: readonly { readonly id: string; readonly in?: readonly string[]; readonly nearest?: string }[];
  readonly groups?: readonly { readonly value: unknown; readonly count: number }[];
  readonly total: number;
}
interface Health {
  readonly findings: readonly { readonly paths: readonly string[]; readonly message: string; readonly nearest?: string }[];
}
interface Hit {
  readonly id: string;
  readonly heading?: string;
  readonly content: string;
}

/** What the day left in the answers: questions whose answer was read, and what the agent looked at to see that nothing broke. */
export interface DayResult {
  readonly answered: readonly string[];
  /** Names that only links have after the hub was renamed, of those there were before. */
  readonly broken: number;
}

/** One vault's part of the day, as an agent spends it that knows the tool list alone: every decision is made from answers. */
export async function rouxDay(vault: DayVault, send: Send, ledger: Ledger): Promise<DayResult> {
  const on = (job: DayJob): DayAsk => ledger.asking(job, send);
  await on('overview')('vault_overview');
  await mendLinks(on('links'));
  await mendLists(vault, on('lists'));
  await mendHeadings(vault, on('headings'));
  await mendFolders(vault, on('folders'));
  if (vault === 'kepano') await mergeCopy(on('merge'));
  const broken = vault === HUB.vault ? await renameHub(on('hub')) : 0;
  return { answered: await answerAll(vault, on('questions')), broken };
}

/** Lets links with misspelt names lead to the nearest note, where the name is the same but for letters; what is not sure is looked up in the note. */
async function mendLinks(ask: DayAsk): Promise<void> {
  const { nodes } = await ask<Listed>('list_nodes', { ghosts: true });
  const changes = nodes.flatMap(({ id, nearest }) => (nearest !== undefined && isSame(id, nearest) ? [{ from: id, to: nearest }] : []));
  for (const { id } of nodes) {
    const unsure = UNSURE[id];
    if (unsure === undefined) continue;
    const seen = JSON.stringify(await ask(...unsure.look));
    if (!seen.includes(unsure.cue)) throw new Error(`${id}: the answer does not show what is meant: ${seen}`);
    changes.push({ from: id, to: unsure.to });
  }
  await ask('rename', { changes, dry_run: true });
  await ask('rename', { changes });
}

/** Notes of a folder whose list lacks the item that the others have, or has it misspelt. */
async function mendLists(vault: DayVault, ask: DayAsk): Promise<void> {
  const [path, list] = vault === 'kepano' ? ['Categories', 'tags'] : ['Reference/CSS variables', 'cssclasses'];
  const { groups = [] } = await ask<Listed>('list_nodes', { path, group_by: list, limit: 0 });
  const counts = new Map<string, number>();
  for (const { value, count } of groups)
    for (const item of (value ?? []) as readonly string[]) counts.set(item, (counts.get(item) ?? 0) + count);
  const items = [...counts].toSorted((a, b) => b[1] - a[1]).map(([item]) => item);
  const usual = items[0] ?? '';
  const misspelt = items.slice(1).filter((item) => item.slice(0, 5) === usual.slice(0, 5));
  const change = {
    path,
    where: `!${list}.isEmpty() && !${list}.contains("${usual}")`,
    add: { [list]: [usual] },
    remove: { [list]: misspelt },
  };
  await ask('update_nodes', { ...change, dry_run: true });
  await ask('update_nodes', change);
}

/** Links to headings that are not there, each where it stands; what has no near heading is left to people. */
async function mendHeadings(vault: DayVault, ask: DayAsk): Promise<void> {
  const { findings } = await ask<Health>('vault_health', { kinds: ['missing-heading'] });
  for (const { paths, message, nearest } of findings) {
    const [, note, wrong] = /^\[\[([^\]#]*)#([^\]]*)\]\] leads to no heading/.exec(message) ?? [];
    if (note === undefined || wrong === undefined || nearest === undefined) continue;
    for (const id of paths) await ask('update_node', { id, edits: [{ find: `[[${note}#${wrong}`, replace: `[[${note}#${nearest}` }] });
  }
}

/** Notes that lie elsewhere than all others of their kind. */
async function mendFolders(vault: DayVault, ask: DayAsk): Promise<void> {
  const kinds =
    vault === 'kepano'
      ? [
          ['file.hasTag("categories") && file.folder != "Categories"', 'Categories'],
          ['file.name.contains("Template") && file.folder != "Templates"', 'Templates'],
        ]
      : [['cssclasses.contains("reference") && file.folder == "Plugins"', 'Reference/CSS variables/Editor']];
  for (const [where = '', directory = ''] of kinds) {
    const { nodes } = await ask<Listed>('list_nodes', { where });
    if (nodes.length > 0) await ask('rename', { changes: nodes.map(({ id }) => ({ from: id, to: `${directory}/` })) });
  }
}

async function mergeCopy(ask: DayAsk): Promise<void> {
  const { findings } = await ask<Health>('vault_health', { kinds: ['duplicate'] });
  for (const { paths } of findings) {
    const copy = paths.find((path) => path.endsWith(' copy.md'));
    const original = paths.find((path) => path === copy?.replace(/ copy\.md$/, '.md'));
    if (copy === undefined || original === undefined) continue;
    const merge = { sources: [copy], target: original };
    await ask('merge_nodes', { ...merge, dry_run: true });
    await ask('merge_nodes', merge);
  }
}

/** Renames the hub, and looks whether links broke: how many names lead nowhere more than before. */
async function renameHub(ask: DayAsk): Promise<number> {
  const hubs = await ask<readonly { readonly id: string }[]>('get_hubs');
  const hub = hubs.find(({ id }) => id === `${HUB.folder}/${HUB.from}.md`);
  if (hub === undefined) throw new Error('get_hubs does not name the hub');
  const before = await ask<Listed>('list_nodes', { ghosts: true, limit: 1 });
  await ask('rename', { changes: [{ from: hub.id, to: HUB.to }] });
  await ask('get_neighbors', { id: HUB.to, direction: 'in', limit: 50, include_content: false });
  const after = await ask<Listed>('list_nodes', { ghosts: true, limit: 1 });
  return after.total - before.total;
}

/** Asks each question; where the texts of the hits do not hold the answer, reads the sections of the first two, then the whole first note. */
async function answerAll(vault: DayVault, ask: DayAsk): Promise<string[]> {
  const answered: string[] = [];
  for (const { asks, answer } of QUESTIONS.filter((question) => question.vault === vault)) {
    const hits = await ask<readonly Hit[]>('search', { query: asks, limit: 5 });
    const reads = hits.slice(0, 2).map(({ id, heading }) => ({ id, ...(heading === undefined ? {} : { section: heading }) }));
    if (reads[0] !== undefined && 'section' in reads[0]) reads.push({ id: reads[0].id });
    let read = hits.map(({ content }) => content).join('\n');
    for (const each of reads) {
      if (read.includes(answer)) break;
      read += (await ask<Hit>('get_node', each)).content;
    }
    if (read.includes(answer)) answered.push(asks);
  }
  return answered;
}

import { readFileSync } from 'node:fs';
import type { McpSession } from '../support/program/mcp-client.ts';
import type { TestVault } from '../support/vault.ts';
import { project } from './graph-work.ts';
import type { Ledger, Saved } from './ledger.ts';
import { isLike } from './own-notes.ts';

interface Text {
  readonly path: string;
  readonly text: string;
  readonly isCopy: boolean;
}

/** Holds the files of a vault at rest against what was promised; a sentence for everything that differs. */
export function findFaults(vault: TestVault, ledger: Ledger): readonly string[] {
  const texts = vault
    .files()
    .filter((path) => path.endsWith('.md'))
    .map((path): Text => ({ path, text: vault.read(path), isCopy: path.includes('.sync-conflict-') }));
  return [
    ...ledger.faults,
    ...sharedFaults(texts, ledger),
    ...peopleFaults(texts, ledger),
    ...graphFaults(texts, ledger),
    ...idFaults(texts),
  ];
}

function sharedFaults(texts: readonly Text[], ledger: Ledger): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of texts.filter(({ path }) => path.startsWith('shared/'))) {
    for (const [, mark = ''] of text.matchAll(/^(?:\s*\w+: )?((?:line|property)mark\d+x)$/gm))
      places.set(mark, [...(places.get(mark) ?? []), path]);
  }
  const isShared = ({ note }: Saved): boolean => note.startsWith('Shared');
  const lost = ledger.saved.filter((saved) => isShared(saved) && !places.has(saved.mark));
  const twice = [...places].filter(([, paths]) => paths.length > 1);
  const revs = [...ledger.revs].filter(([note, answered]) => note.startsWith('Shared') && new Set(answered).size < answered.length);
  const fallen = texts.flatMap(({ path, text }) => {
    const note = [...ledger.revs.keys()].find((name) => path.startsWith('shared/') && path.slice(7).startsWith(name));
    const rev = Number(/^rev: (\d+)$/m.exec(text)?.[1]);
    const answered = Math.max(0, ...(ledger.revs.get(note ?? '') ?? []));
    return note === undefined || rev >= answered ? [] : [`${path} has rev ${rev}, and ${answered} was answered`];
  });
  return [
    ...lost.map(({ mark, note }) => `${mark} was saved in ${note} and is not there`),
    ...twice.map(([mark, paths]) => `${mark} is there more than once: ${paths.join(', ')}`),
    ...revs.map(([note, answered]) => `a revision of ${note} was given twice: ${answered.join(' ')}`),
    ...fallen,
  ];
}

function peopleFaults(texts: readonly Text[], ledger: Ledger): readonly string[] {
  const people = texts.filter(({ path }) => path.startsWith('people/'));
  const isThere = (mark: string): boolean => people.some(({ text }) => new RegExp(`\\b${mark}\\b`).test(text));
  // A person who had read the note before and saved it after wrote over it with full right.
  const isOverwritten = ({ note, sentAt, answeredAt }: Saved): boolean =>
    ledger.personSaved.some((person) => person.note === note && person.readAt <= answeredAt && person.savedAt >= sentAt);
  const own = ledger.personSaved.filter(({ mark }) => !isThere(mark));
  const lost = ledger.saved.filter((saved) => saved.note.startsWith('Person') && !isThere(saved.mark) && !isOverwritten(saved));
  const torn = people.filter(({ text }) => !text.startsWith('---\n') || !text.endsWith('\n'));
  return [
    ...own.map(({ mark, note }) => `a person saved ${mark} in ${note}, and it is nowhere`),
    ...lost.map(({ mark, note }) => `${mark} was saved in ${note}, no person wrote over it, and it is nowhere`),
    ...torn.map(({ path }) => `${path} is torn`),
  ];
}

function graphFaults(texts: readonly Text[], ledger: Ledger): readonly string[] {
  const whole = texts.map(({ text }) => text).join('\n');
  const counted = (mark: string): number => whole.split(mark).length - 1;
  const once = (kind: string, marks: Iterable<string>): readonly string[] =>
    [...marks].flatMap((mark) => (counted(mark) === 1 ? [] : [`the ${kind} ${mark} is there ${counted(mark)} times`]));
  const markOf = (observation: string): string => /\w+mark\d+x/.exec(observation)?.[0] ?? observation;
  const shared = [...ledger.claims].filter(([, agents]) => agents.size > 1);
  return [
    ...once('observation', [...ledger.observations].map(markOf)),
    ...[...ledger.removedObservations].filter((each) => counted(markOf(each)) > 0).map((each) => `${each} was taken out and is there`),
    ...once('relation', ledger.relations),
    ...once(
      'task',
      [...ledger.tasks].map((summary) => `summary: ${summary}\n`),
    ),
    ...once(
      'evidence',
      [...ledger.evidence.keys()].map((ref) => `ref: ${ref}\n`),
    ),
    ...once(
      'connection',
      [...ledger.connections].map((id) => `^${id}`),
    ),
    ...shared.map(([id, agents]) => `the task ${id} was given to ${[...agents].join(' and ')}`),
    ...(ledger.singletons.size > 1 ? [`a node that is to be one of a kind has the ids ${[...ledger.singletons].join(', ')}`] : []),
  ];
}

function idFaults(texts: readonly Text[]): readonly string[] {
  const paths = new Map<string, string[]>();
  for (const { path, text, isCopy } of texts) {
    const id = /^---\n(?:[^-].*\n)*?id: (\S+)\n/.exec(text)?.[1];
    if (id !== undefined && !isCopy) paths.set(id, [...(paths.get(id) ?? []), path]);
  }
  return [...paths].flatMap(([id, all]) => (all.length === 1 ? [] : [`the id ${id} is in ${all.join(', ')}`]));
}

/** Holds what a fresh server answers against what was promised. */
export async function findAnswerFaults({ ask }: McpSession, ledger: Ledger): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const known of ledger.own) {
    const found = await ask('get_node', { id: known.titles[0] });
    if (found === null || found.path === null || !isLike(known, found))
      faults.push(`${known.titles[0]} is to be ${JSON.stringify(known)} and is ${JSON.stringify(found)}`);
  }
  const own = await ask('list_nodes', { path: 'own', limit: 1 });
  if (own.total !== ledger.own.size) faults.push(`there are ${own.total} notes with one owner, and ${ledger.own.size} were promised`);
  for (const name of ledger.entities) {
    const { entities } = await ask('open_nodes', { names: [name] });
    if (entities.length !== 1) faults.push(`there are ${entities.length} entities ${name}`);
  }
  for (const name of ledger.removedEntities) {
    const { entities } = await ask('open_nodes', { names: [name] });
    if (entities.length !== 0) faults.push(`the entity ${name} was deleted and is there`);
  }
  return faults;
}

/** Links that lead nowhere though nobody deleted what they name. */
export async function findDangling({ ask }: McpSession, ledger: Ledger): Promise<readonly string[]> {
  const { nodes } = await ask('list_nodes', { ghosts: true, limit: 1000 });
  return (nodes as readonly { id: string }[])
    .filter(({ id }) => !ledger.deletedTitles.has(id.slice(id.lastIndexOf('/') + 1)))
    .map(({ id }) => `[[${id}]] leads nowhere, and nobody deleted it`);
}

/** What doctor finds at the end. Two things are for people: notes that two have saved, and links to what an agent deleted, which are looked at elsewhere. */
export function doctorFaults(findings: readonly { kind: string; paths: readonly string[]; message: string }[]): readonly string[] {
  // A write that nobody acknowledged is put aside when its server was killed and somebody saved the same file, or checked it out, before the next start.
  const isOvertaken = (paths: readonly string[]): boolean => paths.slice(1).some((path) => /^(?:people|git)\//.test(path));
  return findings
    .filter(
      ({ kind, paths }) =>
        !['conflict-copy', 'missing-heading', 'unresolved-link'].includes(kind) && !(kind === 'journal' && isOvertaken(paths)),
    )
    .map(({ message }) => message);
}

/** What servers of one vault have to agree on once it is quiet. */
export async function answersOf({ ask, call }: McpSession): Promise<Readonly<Record<string, unknown>>> {
  const pages: unknown[] = [];
  for (let offset = 0; ; offset += 500) {
    const page = await ask('list_nodes', { limit: 500, offset });
    pages.push(page);
    if (offset + 500 >= page.total) break;
  }
  return {
    notes: pages,
    ghosts: await ask('list_nodes', { ghosts: true, limit: 1000 }),
    orphans: await ask('list_nodes', { orphans: true, limit: 1000 }),
    tagged: (await ask('search_by_tags', { tags: ['soak'] })).map(({ id }: { id: string }) => id),
    hubs: await ask('get_hubs', { limit: 50 }),
    found: (await ask('search', { query: 'about', limit: 50 })).map?.(({ id }: { id: string }) => id),
    memory: (await call('read_graph', {})).texts,
    tasks: await ask('graph_query', { project }),
    connections: await ask('query_connections', {}),
    // What happened while it ran, each server tells for itself.
    health: { ...(await ask('vault_health', { rebuild: true })).counts, vault: 0 },
  };
}

/** Open descriptors and resident megabytes of a process; nothing where the system does not tell. */
export function usageOf(pid: number, list: (folder: string) => readonly string[]): { descriptors: number; megabytes: number } {
  try {
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    return { descriptors: list(`/proc/${pid}/fd`).length, megabytes: Math.round(kilobytes / 1024) };
  } catch {
    return { descriptors: 0, megabytes: 0 };
  }
}

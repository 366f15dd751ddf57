import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Every name, word and value outside holds it, and nothing inside does. */
export const MARK = 'zqul';

/** What the token is for. */
export const FOLDERS = ['open', 'projects/shed', 'memory/person', 'knowledge/team', 'ontology.md'];

/** The server asks for it. */
export const OWNERS = 'a-token-of-the-owner-alone';

/** Whether a file lies in the folders. */
export function isInside(path: string): boolean {
  return FOLDERS.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

const AT = '2026-01-01T00:00:00Z';
const noise = (more: string): string =>
  `---
id: zqul-id
title: zqultitle
aliases: [zqulalias, Tea party]
tags: [zqultag, drinks, drinks/zqulnested]
type: zqultype
zqulkey: zqulvalue
status: zqulstatus
---
# zqulheading

zqultext about a valley and tea. #zqulinline #drinks ^zqulblock

[[tea]] [[open/tea#Leaves]] [[zqultarget]] [[zqulpath-2]] ![[zqulimage.png]]

- [ ] zqultodo
${more}`;

/** Files of people: inside, and outside under names that are looked at too. */
export const FILES: Readonly<Record<string, string>> = {
  'open/tea.md':
    '---\ntags: [drinks]\ntype: plant\nstatus: fresh\nup: "[[assam]]"\n---\n# Tea\n\nGrown in a valley of [[assam]]. See [[plain]], [[plain#Part]] and ![[plain]].\n\n## Leaves\n\nGreen. ^leaf\n\n- [ ] pick them\n',
  'open/assam.md': '---\naliases: [The valley]\n---\nA valley. Not [[nowhere]].\n',
  'open/alone.md': 'Nobody links here, and it links to none.\n',
  'open/all.base': 'views:\n  - type: table\n    name: All\n    filters:\n      and:\n        - file.hasTag("drinks")\n',
  'open/page.md': '![[all.base]]\n\n![[tea]]\n',
  'open/dot.png': 'no picture',
  'open/board.canvas': '{"nodes":[{"id":"a","type":"file","file":"open/tea.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
  'open/gone.md': 'Gone soon.\n',
  'open/going.md': 'It will go.\n',
  // Links of notes inside lead to it.
  'private/plain.md': noise('## Part\n\nzqulpart [[alone]]\n'),
  'private/zqulpath.md': noise(''),
  'private/zqulpath-2.md': 'zqultext [[zqulpath]] [[assam]] zqultitle\n',
  'zqulroot.md': 'zqultext valley [[tea]]\n',
  'private/zqulimage.png': 'zqulbytes',
  'private/zqulboard.canvas': '{"nodes":[{"id":"a","type":"text","text":"zqulcard [[tea]]","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
  'private/zqulall.base': 'views:\n  - type: table\n    name: zqulview\n',
  'private/zqulgone.md': 'zqulgone text\n',
  'private/zqultemplate.md': 'zqultemplate\n',
  '.obsidian/app.json': '{"newFileLocation":"folder","newFileFolderPath":"private/zqulinbox","attachmentFolderPath":"private/zqulfiles"}',
  '.obsidian/daily-notes.json': '{"folder":"private/zquldaily","template":"private/zqultemplate"}',
  '.obsidian/templates.json': '{"folder":"private"}',
};
/** What calls need to know of the vault. */
export interface Known {
  readonly task: string;
  readonly other: string;
  readonly shelf: string;
  readonly book: string;
  readonly connection: string;
  readonly fact: string;
  readonly episode: string;
  readonly parked: string;
  /** Writes that are inside, outside, and both; one that moved a note in. */
  readonly batches: { readonly inside: string; readonly outside: string; readonly both: string; readonly came: string };
  /** Ids of what lies outside. */
  readonly hidden: { readonly task: string; readonly fact: string; readonly episode: string };
}

/** Work of every toolset, inside and outside, by an agent for whom there are no folders. */
export function prepare(vault: TestVault): Promise<Known> {
  return withServer(
    vault,
    async ({ ask }) => {
      const plan = async (project: string, word: string): Promise<readonly string[]> => {
        await ask('graph_open', { project, goal: `${word}goal` });
        const nodes = ['Sand', 'Paint'].map((summary, at) => ({
          ref: `r${at}`,
          parent_ref: project,
          summary: `${summary} ${word}`.trim(),
        }));
        const { created } = await ask('graph_plan', { nodes });
        const ids = created.map(({ id }: { id: string }) => id);
        await ask('graph_connect', { edges: [{ from: ids[1], to: ids[0], type: 'depends_on' }] });
        return ids;
      };
      const [hiddenTask = ''] = await plan('zqulproject', 'zqultask');
      const [task = '', other = ''] = await plan('shed', '');
      await ask('graph_update', { updates: [{ node_id: hiddenTask, add_evidence: [{ type: 'note', ref: 'zqulevidence' }] }] });
      await ask('create_entities', {
        entities: [
          { name: 'Ada', entityType: 'person', observations: ['likes tea'] },
          { name: 'Bob', entityType: 'person', observations: [] },
          { name: 'zqulentity', entityType: 'zqulkind', observations: ['zqulobservation of tea'] },
        ],
      });
      await ask('create_relations', {
        relations: [
          { from: 'Ada', to: 'Bob', relationType: 'knows' },
          { from: 'zqulentity', to: 'Ada', relationType: 'zqulknows' },
        ],
      });
      await ask('create_ontology', {
        node_types: ['Shelf', 'Book', 'Lamp'],
        connection_types: [{ name: 'holds', from_types: ['Shelf'], to_types: ['Book'] }],
      });
      const typed = async (type: string, directory: string): Promise<string> => {
        const { node_id } = await ask('ensure_singleton_node', { type, content: `${type}\n`, encoding: 'utf-8', format: 'text' });
        await ask('rename', { changes: [{ from: node_id, to: `${directory}/` }] });
        return (await ask('get_node', { id: type.toLowerCase() })).id as string;
      };
      const [shelf, book] = [await typed('Shelf', 'open'), await typed('Book', 'open')];
      const { connection_id: connection } = await ask('create_connection', { from_node_id: shelf, to_node_id: book, type: 'holds' });
      const items = (word: string) => [
        { uuid: `${word}note-1`, source: 'text', body: `Ann ${word} -[LIKES]-> Tea ${word}: Ann ${word} likes tea.`, reference_time: AT },
        // A fact that is longer than its limit.
        { source: 'text', body: `A ${word} -[R]-> B: ${'x'.repeat(2001)}`, reference_time: AT },
      ];
      await ask('kg_add_episodes', { input: { group_id: 'team', items: items('') } });
      await ask('kg_add_episodes', { input: { group_id: 'zqulgroup', items: items('zqul') } });
      const parkedIn = (group_id: string) =>
        waitFor(async () => {
          const { output } = await ask('kg_get_receipt', { input: { group_id } });
          return output.items.length === 1 && output.items[0].state === 'parked' ? (output.items[0].uuid as string) : null;
        });
      const parked = await parkedIn('team');
      await parkedIn('zqulgroup');
      const factOf = async (group: string): Promise<string> =>
        (await ask('kg_search_facts', { input: { group_ids: [group], query: 'tea' } })).output.facts[0].uuid;
      const [fact, hiddenFact] = [await factOf('team'), await factOf('zqulgroup')];
      // Writes for the history and the trash.
      await ask('update_node', { id: 'open/assam.md', properties: { height: 1 } });
      await ask('update_node', { id: 'private/zqulpath.md', properties: { zqulheight: 1 } });
      await ask('rename', { changes: [{ from: '#drinks', to: '#brews' }] });
      await ask('delete_node', { id: 'open/gone.md' });
      await ask('delete_node', { id: 'private/zqulgone.md' });
      // It was outside once.
      vault.write('private/came.md', 'zqulbefore it came\n');
      await ask('get_node', { id: 'private/came.md' });
      await ask('update_node', { id: 'private/came.md', content: 'It came from elsewhere.\n' });
      await ask('rename', { changes: [{ from: 'private/came.md', to: 'open/' }] });
      await ask('update_node', { id: 'open/came.md', title: 'Came', append: 'And stays.\n' });
      const batchOf = async (id: string, action: string): Promise<string> => {
        const done = await cli(['history', id, '--json', '--vault', vault.root]);
        const { events } = JSON.parse(done.stdout) as { events: { action: string; batch?: string; changes: { field: string }[] }[] };
        return events.findLast((event) => event.changes.some(({ field }) => field === action))?.batch ?? '';
      };
      return {
        task,
        other,
        shelf,
        book,
        connection,
        fact,
        episode: 'note-1',
        parked,
        batches: {
          inside: await batchOf('open/assam.md', 'height'),
          outside: await batchOf('private/zqulpath.md', 'zqulheight'),
          both: await batchOf('open/tea.md', 'tags'),
          came: await batchOf('open/Came.md', 'path'),
        },
        hidden: { task: hiddenTask, fact: hiddenFact, episode: 'zqulnote-1' },
      };
    },
    { flags: ['--toolsets', 'all'] },
  );
}

/** Makes a token for the folders, and gives its text. */
export async function addToken(vault: TestVault, name: string, scope: string, folders: readonly string[] = FOLDERS): Promise<string> {
  const args = ['token', 'add', name, '--scope', scope, ...(folders.length === 0 ? [] : ['--folders', folders.join(',')])];
  const { status, stdout, stderr } = await cli([...args, '--json', '--vault', vault.root]);
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { token: string }).token;
}

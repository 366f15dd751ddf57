import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { bodyStartOf } from '../../../src/note/frontmatter/read-frontmatter.ts';
import { BlockScanner } from '../../../src/note/markdown/scan.ts';
import { peopleNote } from '../../note/body/people-lists.ts';
import { runs, seed } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const flags = ['--toolsets', 'vault,memory,admin'];

async function withMemory(
  files: Readonly<Record<string, string>>,
  run: (session: McpSession, vault: TestVault) => Promise<void>,
): Promise<void> {
  await withVault(files, (vault) => withServer(vault, (session) => run(session, vault), { flags }));
}

const bodyOf = (vault: TestVault, path: string): string => {
  const text = vault.read(path);
  return text.slice(bodyStartOf(text));
};

async function observationsOf({ ask }: McpSession, name: string): Promise<readonly string[]> {
  const { entities } = await ask('open_nodes', { names: [name] });
  return entities[0].observations;
}

interface Told {
  readonly paths: readonly string[];
  readonly message: string;
}

const unreadable = async ({ ask }: McpSession): Promise<readonly string[]> =>
  (await ask('vault_health', { kinds: ['unreadable-line'] })).findings.map(({ message }: Told) => message);

/** An entity as a person keeps it: prose, a nested list, code with a blank line and a heading in it, a task. */
const ANN = `Ann is a friend.

### OBSERVATIONS

- deploys with:

  \`\`\`sh
  make all

  ## Relations
  - not an item
  \`\`\`
- likes
\t- tea
\t- rain

1. has a plan

   of two paragraphs
* [ ] owes a letter

And prose that is nobody's.

#### relations

+ knows [[Bob]]
`;
const ANN_CODE = 'deploys with:\n\n  ```sh\n  make all\n\n  ## Relations\n  - not an item\n  ```';

describe('sections that people write', () => {
  it('X-08 X-10 observations of several lines are one text each, and are deleted by it to the line', () =>
    withMemory({ 'memory/person/Ann.md': ANN, 'memory/person/Bob.md': '' }, async (session, vault) => {
      const texts = [ANN_CODE, 'likes\n\t- tea\n\t- rain', 'has a plan\n\n   of two paragraphs', '[ ] owes a letter'];
      expect(await session.ask('open_nodes', { names: ['Ann'] })).toEqual({
        entities: [{ name: 'Ann', entityType: 'person', observations: texts }],
        relations: [{ from: 'Ann', to: 'Bob', relationType: 'knows' }],
      });
      await session.ask('delete_observations', { deletions: [{ entityName: 'Ann', observations: [ANN_CODE] }] });
      expect(bodyOf(vault, 'memory/person/Ann.md')).toBe(ANN.replace(`- ${ANN_CODE}\n`, ''));
      await session.ask('delete_observations', { deletions: [{ entityName: 'Ann', observations: [texts[2], texts[1]] }] });
      const left = ANN.replace(`- ${ANN_CODE}\n`, '').replace(`- ${texts[1]}\n`, '').replace(`1. ${texts[2]}\n`, '');
      expect(bodyOf(vault, 'memory/person/Ann.md')).toBe(left);
      expect(await observationsOf(session, 'Ann')).toEqual(['[ ] owes a letter']);
    }));

  it('X-08 what an agent adds goes among them, and deleting it leaves the bytes of before', () =>
    withMemory({ 'memory/person/Ann.md': ANN, 'memory/person/Bare.md': 'No line end' }, async (session, vault) => {
      for (const [name, path] of [
        ['Ann', 'memory/person/Ann.md'],
        ['Bare', 'memory/person/Bare.md'],
      ] as const) {
        const before = bodyOf(vault, path);
        await session.ask('add_observations', { observations: [{ entityName: name, contents: ['new', 'two\nlines'] }] });
        expect((await observationsOf(session, name)).slice(-2)).toEqual(['new', 'two\nlines']);
        expect(bodyOf(vault, path)).not.toBe(before);
        await session.ask('delete_observations', { deletions: [{ entityName: name, observations: ['two\nlines', 'new'] }] });
        expect(bodyOf(vault, path)).toBe(before);
      }
    }));

  it('X-08 whatever people write, each observation is told and deleted word for word', async () => {
    const notes = fc.sample(peopleNote, { numRuns: runs(60), seed });
    const files = Object.fromEntries(notes.map(({ text }, index) => [`memory/person/P${index}.md`, text]));
    await withMemory(files, async (session, vault) => {
      for (const [index, note] of notes.entries()) {
        const name = `P${index}`;
        expect(await observationsOf(session, name)).toEqual(note.observations);
        const at = index % note.observations.length;
        await session.ask('delete_observations', { deletions: [{ entityName: name, observations: [note.observations[at]] }] });
        expect(bodyOf(vault, `memory/person/${name}.md`)).toBe(note.without(at));
      }
    });
  });

  it('X-10 tools write under the headings that are there, whatever their case and level, and content that brings them brings them', () =>
    withMemory({ 'memory/person/Ann.md': ANN, 'memory/person/Bob.md': '' }, async (session, vault) => {
      await session.ask('create_relations', { relations: [{ from: 'Ann', to: 'Ann', relationType: 'is' }] });
      await session.ask('add_observations', { observations: [{ entityName: 'Ann', contents: ['new'] }] });
      expect(bodyOf(vault, 'memory/person/Ann.md')).toBe(
        ANN.replace('letter\n', 'letter\n* new\n').replace('[[Bob]]\n', '[[Bob]]\n+ is [[Ann]]\n'),
      );
      await session.ask('get_node', { id: 'memory/person/Ann.md' });
      await session.ask('update_node', { id: 'memory/person/Ann.md', content: '# Observations\n\n- only this\n' });
      expect(await observationsOf(session, 'Ann')).toEqual(['only this']);
      expect(bodyOf(vault, 'memory/person/Ann.md').match(/observations/gi)).toHaveLength(1);
      expect(bodyOf(vault, 'memory/person/Ann.md')).toContain('#### relations\n\n+ knows [[Bob]]');
    }));

  it('X-10 these headings are renamed by no tool in notes of the memory tools, others are', () =>
    withVault({ 'memory/person/Ann.md': ANN, 'mine.md': '## Observations\n\n- a bird\n\n[[#Observations]]\n' }, async (vault) => {
      const rename = (part: string) => cli(['rename', part, 'Notes', '--vault', vault.root]);
      for (const part of ['Ann#Observations', 'Ann#RELATIONS', 'Ann#Relations']) {
        const refused = await rename(part);
        expect(refused.status, part).not.toBe(0);
        expect(refused.stderr).toMatch(/The heading (Observations|Relations) of memory\/person\/Ann\.md cannot be renamed: the memory and/);
      }
      expect(vault.read('memory/person/Ann.md')).toBe(ANN);
      expect(await rename('mine#Observations')).toMatchObject({ status: 0 });
      expect(vault.read('mine.md')).toBe('## Notes\n\n- a bird\n\n[[#Notes]]\n');
    }));

  it('X-10 of two sections the first is read, and the second is a finding', () =>
    withMemory({ 'memory/person/Ann.md': '## observations\n\n- a\n\n# Observations\n\n- b\n' }, async (session, vault) => {
      expect(await observationsOf(session, 'Ann')).toEqual(['a']);
      await session.ask('add_observations', { observations: [{ entityName: 'Ann', contents: ['c'] }] });
      expect(bodyOf(vault, 'memory/person/Ann.md')).toBe('## observations\n\n- a\n- c\n\n# Observations\n\n- b\n');
      expect(await unreadable(session)).toEqual([expect.stringMatching(/Ann\.md:\d+: a second heading "Observations"/)]);
    }));

  it('X-09 what changes under the headings is seen at once; a line that no longer fits stays, as prose and a finding', async () => {
    const text =
      '---\nid: e_1\ntype: entity\nkind: person\n---\n\n## Observations\n\n- a\n- b\n\n## Relations\n\n- knows [[Bob]]\n- likes [[Tea]]\n';
    await withMemory(
      { 'memory/person/Ann.md': text, 'memory/person/Bob.md': '', 'mine.md': '## Relations\n\nProse.\n\n- no link\n' },
      async (session, vault) => {
        expect(await unreadable(session)).toEqual([]);
        await session.ask('get_node', { id: 'e_1' });
        const content =
          '\n## Observations\n\n- a\n- c\n\nb\n\n## Relations\n\n- knows [[Bob]]\n- likes [Tea]]\n- met [[Bob]]\n  - in spring\n';
        await session.ask('update_node', { id: 'e_1', content });
        expect(await session.ask('open_nodes', { names: ['Ann'] })).toEqual({
          entities: [{ name: 'Ann', entityType: 'person', observations: ['a', 'c'] }],
          relations: [{ from: 'Ann', to: 'Bob', relationType: 'knows' }],
        });
        expect(bodyOf(vault, 'memory/person/Ann.md')).toBe(content);
        expect(await unreadable(session)).toEqual([
          expect.stringMatching(/^memory\/person\/Ann\.md:\d+: "b" under Observations is no list item/),
          expect.stringMatching(/: "- likes \[Tea\]\]" under Relations is no relation/),
          expect.stringMatching(/: "- met \[\[Bob\]\]\\n {2}- in spring" under Relations is no relation/),
        ]);
        const { stdout, status } = await cli(['doctor', vault.root, '--json']);
        expect(status).toBe(1);
        const told = (JSON.parse(stdout).findings as { kind: string }[]).filter(({ kind }) => kind === 'unreadable-line');
        expect(told).toHaveLength(3);

        await session.ask('add_observations', { observations: [{ entityName: 'Ann', contents: ['d'] }] });
        await session.ask('delete_observations', { deletions: [{ entityName: 'Ann', observations: ['a', 'b', 'c', 'd'] }] });
        await session.ask('delete_relations', { relations: [{ from: 'Ann', to: 'Bob', relationType: 'knows' }] });
        for (const kept of ['\nb\n', '- likes [Tea]]\n', '- met [[Bob]]\n  - in spring\n'])
          expect(bodyOf(vault, 'memory/person/Ann.md')).toContain(kept);

        vault.write('memory/person/Ann.md', text.replace('- b\n', '- b\n- by hand\n'));
        await waitFor(async () => (await observationsOf(session, 'Ann')).includes('by hand'));
        expect((await session.ask('open_nodes', { names: ['Ann'] })).relations).toHaveLength(2);
        expect(await unreadable(session)).toEqual([]);
      },
    );
  });

  it('X-27 a call that changes fifty lines of a large entity reads it as often as one that changes one', () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => `- observation ${index}\n`).join('');
    return withMemory({ 'memory/log/Big.md': `## Observations\n\n${rows}` }, async (session) => {
      await session.ask('open_nodes', { names: ['Big'] });
      const scan = vi.spyOn(BlockScanner.prototype, 'scan');
      /** How many texts of more than one observation's length were read: encoding each looks at a text of its own. */
      const looks = async (tool: string, args: Record<string, unknown>, own: number): Promise<number> => {
        scan.mockClear();
        await session.ask(tool, args);
        return scan.mock.calls.length - own;
      };
      const many = Array.from({ length: 50 }, (_, index) => `new ${index}`);
      const add = (contents: readonly string[]) =>
        looks('add_observations', { observations: [{ entityName: 'Big', contents }] }, contents.length);
      const drop = (observations: readonly string[]) =>
        looks('delete_observations', { deletions: [{ entityName: 'Big', observations }] }, 0);
      const [first, added, dropped] = [await add(['first']), await add(many), await drop(many)];
      expect(first).toBeGreaterThan(0);
      // The watch may look at a file once more; fifty looks are what this is about.
      expect(added).toBeLessThanOrEqual(first + 5);
      expect(dropped).toBeLessThanOrEqual((await drop(['first'])) + 5);
      scan.mockRestore();
    });
  });
});

import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { withTasks } from '../tasks/task-session.ts';

const ANN =
  '---\nid: e_1\ntype: entity\nkind: person\n---\n\nA friend.\n\n## Observations\n\n- likes tea\n- walks\n\n## Relations\n\n- knows [[Bob]]\n';

describe('updates that are refused instead of being made in part', () => {
  it('A-23 X-01 keys of tasks as arguments are refused with the name of graph_update, and nothing of the call is written', () =>
    withTasks(async ({ ask, call, plan, vault }) => {
      const { a = '' } = await plan([{ ref: 'a', summary: 'A' }]);
      await ask('create_node', { title: 'Plain', content: 'Text.\n' });
      const files = () => vault.files().map((path) => vault.read(path));
      const before = files();
      const given = {
        resolved: true,
        state: 'x',
        summary: 'x',
        parent: '[[shed]]',
        depends_on: [],
        evidence: [],
        _claimed_by: 'me',
        blocked: true,
      };
      for (const [name, value] of Object.entries(given)) {
        const { isError, value: answer } = await call('update_node', { id: a, content: 'New.\n', [name]: value });
        expect([isError, answer.error?.code], name).toEqual([true, 'INVALID_PARAMS']);
        expect(answer.error.message, name).toMatch(new RegExp(`^${name}: this note is a task.*graph_update`));
        // Where the note is none, it says where such a property goes.
        for (const [tool, args] of [
          ['update_node', { id: 'Plain' }],
          ['create_node', { title: 'Other' }],
          ['create_node', { title: 'a', directory: 'projects/shed', if_exists: 'update' }],
        ] as const) {
          const { error } = (await call(tool, { ...args, content: 'New.\n', [name]: value })).value;
          expect(error.message, `${tool} ${name}`).toContain(`properties: {"${name}": …}`);
          expect(error.message, `${tool} ${name}`).toContain('graph_update');
        }
      }
      for (const items of [{ add: { depends_on: ['[[b]]'] } }, { remove: { evidence: ['x'] } }, { remove: { resolved: null } }])
        expect((await call('update_node', { id: a, ...items })).value.error.message).toContain('graph_update');
      expect(files()).toEqual(before);
      expect(await ask('update_node', { id: a, add: { tags: ['x'], sizes: [1] }, include_content: true })).toMatchObject({
        tags: ['x'],
        properties: { sizes: [1] },
      });
    }));

  it('X-10 A-23 no edit takes away a heading that the memory tools keep while items stand below it', () =>
    withVault({ 'memory/person/Ann.md': ANN, 'mine.md': '## Observations\n\n- a bird\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        for (const edits of [
          [{ find: '## Observations', replace: '## Facts' }],
          [{ find: '## Relations\n', replace: '' }],
          [{ find: '## Observations\n\n- likes tea', replace: '- likes tea' }],
          [{ find: '## Observations', replace: '**Observations**' }],
        ])
          expect((await refuse('update_node', { id: 'e_1', edits })).error.message).toMatch(
            /^The heading (?:Observations|Relations) of memory\/person\/Ann\.md cannot/,
          );
        expect(
          (
            await refuse('update_node', {
              id: 'e_1',
              section: { heading: 'Observations', content: 'x' },
              edits: [{ find: '## Relations', replace: '## Links' }],
            })
          ).error.code,
        ).toBe('INVALID_PARAMS');
        expect(vault.read('memory/person/Ann.md')).toBe(ANN);
        expect((await ask('open_nodes', { names: ['Ann'] })).entities[0].observations).toEqual(['likes tea', 'walks']);
        // Another level is found as well; items may go, with their heading too; and people's own headings are theirs.
        await ask('update_node', { id: 'e_1', edits: [{ find: '## Observations', replace: '### observations' }] });
        await ask('update_node', { id: 'e_1', edits: [{ find: '- walks\n', replace: '' }] });
        expect((await ask('open_nodes', { names: ['Ann'] })).entities[0].observations).toEqual(['likes tea']);
        await ask('update_node', { id: 'e_1', edits: [{ find: '### observations\n\n- likes tea\n\n', replace: '' }] });
        expect((await ask('open_nodes', { names: ['Ann'] })).entities[0].observations).toEqual([]);
        await ask('update_node', { id: 'mine', edits: [{ find: '## Observations', replace: '## Birds' }] });
        expect(vault.read('mine.md')).toContain('## Birds\n\n- a bird\n');
      }),
    ));
});

describe('content that is bytes', () => {
  it.each(['slug', 'title'])('A-21 keeps the kind that its title or format says, with file names by %s', (style) =>
    withVault({ '.rouxrc.json': JSON.stringify({ filenames: style }), 'taken.png': 'mine' }, (vault) =>
      withServer(vault, async ({ ask, call }) => {
        const content = Buffer.from([0x89, 0x50, 1]).toString('base64');
        const fileOf = async (args: object): Promise<string> => {
          const { id } = await ask('create_node', { content, encoding: 'base64', ...args });
          const [file] = (await ask('get_node', { id })).links;
          expect(vault.readBytes(file.id)).toEqual(Buffer.from(content, 'base64'));
          return file.id as string;
        };
        expect(await fileOf({ title: 'dot.png' })).toBe('dot.png');
        expect(await fileOf({ title: 'Dot.PNG', directory: 'b', format: 'image/png' })).toMatch(/^b\/dot\.png$/i);
        for (const [format, extension] of [
          ['png', 'png'],
          ['.JPG', 'jpg'],
          ['image/svg+xml; charset=utf-8', 'svg'],
          ['audio/mpeg', 'mp3'],
          ['application/pdf', 'pdf'],
          ['application/zip', 'zip'],
          ['docx', 'docx'],
          ['application/octet-stream', 'bin'],
          ['text/javascript', 'bin'],
          ['html', 'bin'],
          ['png/../../x', 'bin'],
        ])
          expect(await fileOf({ title: 'one', directory: `as-${extension}-${(format ?? '').length}`, format }), format).toMatch(
            new RegExp(`one\\.${extension}$`),
          );
        expect(await fileOf({ title: 'run.sh' })).toMatch(/\.bin$/);
        expect(await fileOf({ title: 'package.json', format: 'json' })).toMatch(/\.bin$/);
        // Bytes that replace others keep the kind, and the old file goes.
        const first = style === 'slug' ? 'dot-png.md' : 'dot.png.md';
        const other = Buffer.from([7]).toString('base64');
        await ask('update_node', { id: first, content: other, encoding: 'base64' });
        const [now] = (await ask('get_node', { id: first })).links;
        expect(now.id).toMatch(/^dot-\w{8}\.png$/);
        expect(vault.exists('dot.png')).toBe(false);
        expect(vault.readBytes(now.id)).toEqual(Buffer.from([7]));
        // A file that is there is not written over.
        const taken = await call('create_node', { title: 'taken.png', content, encoding: 'base64' });
        expect([taken.isError, vault.read('taken.png')]).toEqual([true, 'mine']);
      }),
    ),
  );
});

import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const NOTES = {
  'notes/Evergreen note.md': '# Why\n',
  'a.md':
    '---\nup: "[[evergreen]]"\n---\n[[Evergreen]] [[evergreen#Why|why]] ![[Evergreen]] [md](evergreen.md) `[[Evergreen]]` [[Other]]\n',
  'b.md': '[[EVERGREEN|so called]]\n',
  'c.md': 'nothing\n',
};

describe('A-08 links that lead nowhere', () => {
  it('are listed with the notes that hold them, and led to a note by one rename, with dry run and undo', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { nodes, total } = await ask('list_nodes', { ghosts: true });
        expect(total).toBe(2);
        expect(nodes[0]).toMatchObject({
          id: expect.stringMatching(/^evergreen$/i) as string,
          links: 6,
          in: ['a.md', 'b.md'],
          nearest: 'notes/Evergreen note.md',
        });
        const changes = [{ from: 'Evergreen', to: 'Evergreen note' }];
        const { diff } = await ask('rename', { changes, dry_run: true });
        expect(diff).toContain('+[[Evergreen note|so called]]');
        expect(vault.read('b.md')).toBe(NOTES['b.md']);
        const answer = await ask('rename', { changes });
        expect(answer).toMatchObject({ renamed: [{ to: 'notes/Evergreen note.md', files: 2 }], links_rewritten_in: 2 });
        expect(vault.read('a.md')).toBe(
          '---\nup: "[[Evergreen note]]"\n---\n[[Evergreen note]] [[Evergreen note#Why|why]] ![[Evergreen note]] [md](Evergreen%20note.md) `[[Evergreen]]` [[Other]]\n',
        );
        expect(vault.read('b.md')).toBe('[[Evergreen note|so called]]\n');
        expect((await ask('get_node', { id: 'Evergreen note', depth: 1 })).neighbors).toHaveLength(2);
        expect((await ask('list_nodes', { ghosts: true })).total).toBe(1);
        expect(await cli(['undo', answer.batch, '--vault', vault.root])).toMatchObject({ status: 0 });
        for (const [path, text] of Object.entries(NOTES)) expect(vault.read(path)).toBe(text);
      }),
    ));

  it('each has its nearest note, however many there are', () => {
    const names = Array.from({ length: 60 }, (_, at) => `Topic ${String.fromCharCode(97 + (at % 26))}${'xyz'.charAt(at / 26)}`);
    const links = names.map((name) => `[[${name.replace(' ', '-')}]]`).join(' ');
    return withVault({ ...Object.fromEntries(names.map((name) => [`${name}.md`, ''])), 'links.md': links }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { nodes } = await ask('list_nodes', { ghosts: true });
        expect(nodes.map(({ nearest }: { nearest?: string }) => nearest).toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
      }),
    );
  });

  it('many are mended in one call, and what cannot be is refused with nothing written', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const refused = [
          await refuse('rename', { changes: [{ from: 'Evergreen', to: 'Nobody' }] }),
          await refuse('rename', {
            changes: [
              { from: 'Evergreen', to: 'c' },
              { from: 'c', to: 'd' },
            ],
          }),
          await refuse('rename', { changes: [{ from: 'Nowhere', to: 'c' }] }),
          await refuse('list_nodes', { ghosts: true, path: 'notes' }),
        ];
        expect(refused.map(({ error }) => error.code)).toEqual(['NODE_NOT_FOUND', 'INVALID_PARAMS', 'NODE_NOT_FOUND', 'INVALID_PARAMS']);
        for (const [path, text] of Object.entries(NOTES)) expect(vault.read(path)).toBe(text);
        const mended = await ask('rename', {
          changes: [
            { from: 'Evergreen', to: 'Evergreen note' },
            { from: 'other', to: 'c' },
          ],
        });
        expect(mended).toMatchObject({ links_rewritten_in: 2 });
        expect(await ask('list_nodes', { ghosts: true })).toMatchObject({ nodes: [], total: 0 });
        expect(vault.read('a.md')).toContain('[[c]]');
      }),
    ));

  it('name as nearest no note for a picture, not the note that holds the link if there is another, and one in a folder of nearly that name', () =>
    withVault(
      {
        'Decorations.md': '![[decorations.svg]] ![[plna.png]] ![[plan-b.mp4]] ![[Plan.svg]] [[Decoration]] [[Plane]]\n',
        'Planes.md': '[[Valt/read]] [[Planet]] [[nodejs.js]]\n',
        'Party decorations.md': '',
        'plan.png': '',
        'Node.js.md': '',
        ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`api/Adapter${at}/read.md`, ''])),
        'api/Vault/read.md': '',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const { nodes } = await ask('list_nodes', { ghosts: true });
          const nearest = Object.fromEntries(nodes.map((node: { id: string; nearest?: string }) => [node.id, node.nearest]));
          expect(nearest).toEqual({
            'decorations.svg': undefined,
            'plna.png': 'plan.png',
            'plan-b.mp4': undefined,
            'Plan.svg': 'plan.png',
            Decoration: 'Party decorations.md',
            Plane: 'Planes.md',
            Planet: 'Planes.md',
            'nodejs.js': 'Node.js.md',
            'Valt/read': 'api/Vault/read.md',
          });
          const { findings } = await ask('vault_health', { kinds: ['unresolved-link'] });
          const found = findings.map(({ message, nearest: near }: { message: string; nearest?: string }) => [message, near]);
          expect(Object.fromEntries(found)).toEqual(
            Object.fromEntries(Object.entries(nearest).map(([name, near]) => [`[[${name}]] leads nowhere`, near])),
          );
        }),
    ));

  it('by an alias of a note are led there by a rename to the name that the note has already', () =>
    withVault(
      {
        'Notes/Acme Corp.md': '---\naliases: [Acme Inc.]\n---\n',
        'a.md': '[[Acme Inc.]] [[Acme Inc.#Staff|them]]\n',
        '.rouxrc.json': '{"filenames":"title"}',
      },
      (vault) =>
        withServer(vault, async ({ ask, refuse }) => {
          expect(await refuse('rename', { changes: [{ from: 'Acme Corp', to: 'Acme Corp' }] })).toMatchObject({
            error: { code: 'INVALID_PARAMS' },
          });
          const answer = await ask('rename', { changes: [{ from: 'Acme Inc.', to: 'Acme Corp' }] });
          expect(answer).toMatchObject({ renamed: [{ from: 'Acme Inc.', to: 'Notes/Acme Corp.md' }], links_rewritten_in: 1 });
          expect(vault.read('a.md')).toBe('[[Acme Corp]] [[Acme Corp#Staff|them]]\n');
        }),
    ));
});

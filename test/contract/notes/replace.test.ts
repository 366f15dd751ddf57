import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withTwoServers } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const LONG = `${Array.from({ length: 400 }, (_, line) => `Line ${line} of a long note, with words.`).join('\n')}\n`;

describe('content that replaces a note', () => {
  it('E-08 is refused by whoever saw a part of it, or sends the mark of a cut back, and taken once the rest was read', () =>
    withVault({ 'long.md': LONG, 'short.md': 'Short\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const first = await ask('get_node', { id: 'long' });
        expect(first.next_offset).toBeGreaterThan(9_000);
        const cut = await refuse('update_node', { id: 'long', content: `${first.content}\nMore.\n` });
        expect(cut.error).toMatchObject({ code: 'INVALID_PARAMS', details: { offset: first.next_offset } });
        expect(cut.error.message).toContain(`get_node {id, offset: ${first.next_offset}}`);
        const { etag } = first;
        expect((await refuse('update_node', { id: 'long', content: 'x', if_match: etag })).error.code).toBe('INVALID_PARAMS');
        expect((await refuse('update_node', { id: 'short', content: 'Sho... [truncated]' })).error.message).toContain('[truncated]');
        expect(vault.read('short.md')).toBe('Short\n');
        // Who has seen all of it means what it says.
        await ask('get_node', { id: 'short' });
        await ask('update_node', { id: 'short', content: 'A log ends with "... [truncated]"\n' });
        expect(vault.read('long.md')).toBe(LONG);
        for (let offset = first.next_offset; offset !== undefined;)
          ({ next_offset: offset } = await ask('get_node', { id: 'long', offset }));
        expect((await ask('update_node', { id: 'long', content: `${LONG}More.\n` }))._warnings ?? []).toEqual([]);
        // A change of its properties shows the beginning of the same body again; what it sent itself it has seen.
        await ask('update_node', { id: 'long', properties: { state: 'read' } });
        expect((await ask('update_node', { id: 'long', content: `${LONG}Even more.\n` }))._warnings ?? []).toEqual([]);
        expect(vault.read('long.md')).toContain('of a long note, with words.\nEven more.\n');
      }),
    ));

  it('E-09 takes in what a person changed elsewhere since it was read, and is refused where both changed the same lines', () =>
    withVault({ 'a.md': 'one\n\ntwo\n\nthree\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('get_node', { id: 'a' });
        vault.write('a.md', 'one by me\n\ntwo\n\nthree\n');
        const merged = await ask('update_node', { include_content: true, id: 'a', content: 'one\n\ntwo\n\nthree\n\nfour\n' });
        expect(merged.content).toBe('one by me\n\ntwo\n\nthree\n\nfour\n');
        expect(merged._warnings).toEqual(['a.md was changed since this session read it; both changes are in it now.']);
        vault.write('a.md', vault.read('a.md').replace('two', 'two by me'));
        const before = vault.read('a.md');
        const { error } = await refuse('update_node', { id: 'a', content: 'one by me\n\n2\n\nthree\n\nfour\n' });
        expect(error).toMatchObject({ code: 'CONFLICT', details: { path: 'a.md', etag: (await ask('get_node', { id: 'a' })).etag } });
        expect(error.details.diff).toContain('-two\n+two by me\n');
        expect(vault.read('a.md')).toBe(before);
        expect((await ask('update_node', { include_content: true, id: 'a', content: 'one by me\n\n2 by both\n' })).content).toBe(
          'one by me\n\n2 by both\n',
        );
      }),
    ));

  it.each([
    ['with an encoding', 'one\n\ntwo\n\nthree\n', { encoding: 'utf-8' }],
    ['of a note with a format', '---\nformat: markdown\n---\none\n\ntwo\n\nthree\n', {}],
    ['with an etag that says nothing', 'one\n\ntwo\n\nthree\n', { if_match: '*' }],
    ['in a file with other line ends', 'one\r\n\r\ntwo\r\n\r\nthree\r\n', {}],
  ])('E-09 loses nothing of a person %s', (_, text, more) =>
    withVault({ 'a.md': text }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('get_node', { id: 'a' });
        vault.write('a.md', text.replace('three', 'three by me'));
        await ask('update_node', { id: 'a', content: 'ONE\n\ntwo\n\nthree\n', ...more });
        expect(vault.read('a.md').replaceAll('\r\n', '\n')).toContain('ONE\n\ntwo\n\nthree by me\n');
      }),
    ),
  );

  it.each(['if_match', 'expected_rev'])('E-09 A-13 loses nothing of a person with the %s of an answer that did not show it', (condition) =>
    withVault({ 'a.md': '---\nstate: new\ntags: [one]\n---\none\n\ntwo\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('get_node', { id: 'a' });
        vault.write('a.md', '---\nstate: mine\ntags: [one, mine]\n---\none\n\ntwo by me\n');
        const tell = ({ etag, rev }: { etag: string; rev: number }) => ({ [condition]: condition === 'if_match' ? etag : rev });
        let told = tell(await ask('update_node', { id: 'a', properties: { other: 1 } }));
        told = tell(await ask('update_node', { id: 'a', content: 'ONE\n\ntwo\n', ...told }));
        expect(vault.read('a.md')).toContain('ONE\n\ntwo by me\n');
        told = tell(await ask('update_node', { id: 'a', tags: ['one', 'two'], ...told }));
        expect(vault.read('a.md')).toContain('tags: [one, two, mine]');
        expect((await refuse('update_node', { id: 'a', properties: { state: 'old' }, ...told })).error.code).toBe('CONFLICT');
        const read = tell(await ask('get_node', { id: 'a' }));
        await ask('update_node', { id: 'a', content: 'All new\n', properties: { state: 'old' }, ...read });
        expect(vault.read('a.md')).toMatch(/state: old\n[^]*---\nAll new\n$/);
      }),
    ),
  );

  it('E-09 loses nothing of calls that were sent together', () =>
    withVault({ 'a.md': 'one\n\ntwo\n\nthree\n' }, (vault) =>
      withServer(vault, async ({ ask, call }) => {
        await ask('get_node', { id: 'a' });
        vault.write('a.md', 'one\n\ntwo\n\nthree by me\n');
        await Promise.all([
          call('get_node', { id: 'a' }),
          call('update_node', { id: 'a', tags: ['seen'] }),
          call('update_node', { id: 'a', content: 'ONE\n\ntwo\n\nthree\n' }),
        ]);
        expect(vault.read('a.md')).toContain('ONE\n\ntwo\n\nthree by me\n');
      }),
    ));

  it('E-09 knows a note under the name that another session gave it', () =>
    withTwoServers({ 'a.md': 'one\n\ntwo\n\nthree\n' }, async (one, two, vault) => {
      await one.ask('get_node', { id: 'a' });
      await two.ask('get_node', { id: 'a' });
      await one.ask('update_node', { id: 'a', title: 'b', content: 'ONE\n\ntwo\n\nthree\n' });
      await two.ask('update_node', { id: 'a', content: 'one\n\ntwo\n\nTHREE\n' });
      expect(vault.read('b.md')).toContain('ONE\n\ntwo\n\nTHREE\n');
    }));

  it.each([
    ['short', 'Short\n'],
    ['long', LONG],
  ])('E-09 takes what the session wrote itself for its own: the properties and tags of a %s note', (_, body) =>
    withVault({ 'a.md': `---\ntags: [one]\n---\n${body}` }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('get_node', { id: 'a' });
        await ask('update_node', { id: 'a', properties: { status: 'draft' }, tags: ['one', 'two'] });
        await ask('update_node', { id: 'a', properties: { status: 'done' }, title: 'b' });
        await ask('update_node', { id: 'b', properties: { status: 'shipped' }, tags: ['one'] });
        expect(vault.read('b.md')).toContain('tags: [one]\n');
        expect(vault.read('b.md')).toContain('status: shipped\n');
        vault.write('b.md', vault.read('b.md').replace('shipped', 'held'));
        expect((await refuse('update_node', { id: 'b', properties: { status: 'gone' } })).error.code).toBe('CONFLICT');
      }),
    ),
  );

  it('E-09 counts what get_node_content showed as read', () =>
    withVault({ 'a.md': 'one\n\ntwo\n' }, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          await ask('get_node_content', { node_id: 'a' });
          vault.write('a.md', 'one by me\n\ntwo\n');
          await ask('update_node', { id: 'a', content: 'one\n\nTWO\n' });
          expect(vault.read('a.md')).toContain('one by me\n\nTWO\n');
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ));

  it('E-09 says so where what was sent is what was read, and was changed since', () =>
    withVault({ 'a.md': 'one\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('get_node', { id: 'a' });
        vault.write('a.md', 'one by me\n');
        expect(String((await ask('update_node', { id: 'a', content: 'one\n' }))._warnings)).toContain('the change stayed');
        expect(vault.read('a.md')).toContain('one by me\n');
      }),
    ));

  it('E-10 is told of by whoever never read the note, with the batch that brings it back, or refused if the vault says so', () =>
    withTwoServers({ 'a.md': 'Of a person\n', 'empty.md': '' }, async (one, two, vault) => {
      const blind = await one.ask('update_node', { id: 'a', content: 'New\n' });
      const [, batch = ''] = /"roux undo ([0-9a-z]{26})"/.exec(String(blind._warnings)) ?? [];
      expect((await cli(['undo', batch, '--vault', vault.root])).status).toBe(0);
      expect(vault.read('a.md')).toBe('Of a person\n');
      expect((await two.ask('update_node', { id: 'empty', content: 'x\n' }))._warnings ?? []).toEqual([]);
      const made = await one.ask('create_node', { title: 'mine', content: 'Mine\n' });
      expect((await one.ask('update_node', { id: made.id, content: 'Mine again\n' }))._warnings ?? []).toEqual([]);
      expect(String((await two.ask('update_node', { id: made.id, content: 'Not mine\n' }))._warnings)).toContain(
        'without having been read',
      );
    }));

  it('E-10 is refused blind where the configuration says so, unless the state is named', () =>
    withVault({ '.rouxrc.json': '{"writes": {"blind": "refuse"}}', 'a.md': 'Of a person\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { error } = await refuse('update_node', { id: 'a', content: 'New\n' });
        expect(error.code).toBe('CONFLICT');
        expect(vault.read('a.md')).toBe('Of a person\n');
        await ask('update_node', { id: 'a', content: 'New\n', if_match: error.details.etag });
        expect(vault.read('a.md')).toContain('New\n');
      }),
    ));
});

it('E-09 tags and properties that a person changed since they were read are merged, or refused', () =>
  withVault({ 'a.md': '---\ntags: [one, two]\nstate: new\nkind: x\n---\nBody\n' }, (vault) =>
    withServer(vault, async ({ ask, refuse }) => {
      await ask('get_node', { id: 'a' });
      vault.write('a.md', '---\ntags: [two, mine]\nstate: mine\nkind: x\n---\nBody\n');
      const { error } = await refuse('update_node', { id: 'a', properties: { state: 'done', kind: 'y' } });
      expect(error).toMatchObject({ code: 'CONFLICT', details: { properties: { state: 'mine' } } });
      const merged = await ask('update_node', { id: 'a', tags: ['one', 'two', 'three'] });
      expect(merged.changed).toBe('@@ 2\n-tags: [two, mine]\n+tags: [two, three, mine]');
      // The answer says nothing of the state, which a person changed.
      expect((await refuse('update_node', { id: 'a', properties: { state: 'done' } })).error.code).toBe('CONFLICT');
      await ask('update_node', { id: 'a', properties: { kind: 'x' }, include_content: true });
      expect((await ask('update_node', { id: 'a', properties: { state: 'done' }, include_content: true })).properties).toMatchObject({
        state: 'done',
        kind: 'x',
      });
    }),
  ));

it('E-11 replacing the content of an entity or a typed node keeps observations and relations, and says so', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask, refuse }) => {
        await ask('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] });
        await ask('create_relations', { relations: [{ from: 'Ada', to: 'Ada', relationType: 'knows' }] });
        const { _warnings: told } = await ask('update_node', { id: 'Ada', content: 'A mathematician.\n' });
        expect(String(told)).toContain('## Observations and ## Relations of');
        expect(await ask('open_nodes', { names: ['Ada'] })).toMatchObject({
          entities: [{ name: 'Ada', observations: ['likes tea'] }],
          relations: [{ from: 'Ada', to: 'Ada', relationType: 'knows' }],
        });
        expect((await ask('get_node', { id: 'Ada' })).content).toContain('A mathematician.\n');
        await ask('update_node', { id: 'Ada', content: 'Once more.\n', format: 'markdown' });
        const before = vault.files().map((file) => vault.read(file));
        expect((await refuse('update_node', { id: 'Ada', content: 'Code:\n\n```\nopen\n' })).error.message).toContain('swallow');
        expect(vault.files().map((file) => vault.read(file))).toEqual(before);
        await ask('update_node', { id: 'Ada', content: 'Hers.\n\n## Observations\n\n- likes coffee\n' });
        expect(await ask('open_nodes', { names: ['Ada'] })).toMatchObject({
          entities: [{ observations: ['likes coffee'] }],
          relations: [{ relationType: 'knows' }],
        });
      },
      { flags: ['--toolsets', 'all'] },
    ),
  ));

it.each(['x', 'x\n', 'x\n\n', ''])('E-11 S0-17 content that replaces %j comes back as it was given, and connections stay', (content) =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask }) => {
        await ask('create_ontology', {
          node_types: ['doc'],
          connection_types: [{ name: 'CITES', from_types: ['doc'], to_types: ['doc'] }],
        });
        const [one, other] = [
          await ask('create_node', { title: 'One', content, type: 'doc' }),
          await ask('create_node', { title: 'Other', type: 'doc' }),
        ];
        const { connection_id } = await ask('create_connection', { type: 'CITES', from_node_id: one.id, to_node_id: other.id });
        for (const next of ['y\n', 'y', '', '\n']) {
          await ask('get_node', { id: one.id });
          await ask('update_node', { id: one.id, content: next });
          expect(await ask('get_node_content', { node_id: one.id })).toEqual({ content: next });
          expect((await ask('query_connections', { from_node_id: one.id })).connection_ids).toEqual([connection_id]);
        }
      },
      { flags: ['--toolsets', 'all'] },
    ),
  ),
);

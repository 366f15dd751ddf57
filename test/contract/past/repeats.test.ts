import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const all = { flags: ['--toolsets', 'all'] };

const beginnings = [
  ['create_ontology', { node_types: ['Doc'], connection_types: [{ name: 'CITES', from_types: ['Doc'], to_types: ['Doc'] }] }],
  ['graph_open', { project: 'shed', goal: 'A shed' }],
] as const;

/** Writing tools with arguments that fit a vault which holds `a.md`, each with the beginning of what it leaves. */
const writes: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['create_node', { title: 'New', content: 'Text, see [[a]].\n' }],
  ['update_node', { id: 'a', content: 'Changed\n', properties: { k: 1 } }],
  ['update_node', { id: 'a', title: 'Renamed' }],
  ['delete_node', { id: 'New' }],
  ['ensure_singleton_node', { type: 'Doc', content: 'x', encoding: 'utf-8', format: 'markdown' }],
  ['graph_plan', { project: 'shed', nodes: [{ ref: 'a', summary: 'Walls' }] }],
  ['graph_next', { project: 'shed', claim: true }],
  ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['tall'] }] }],
  ['add_observations', { observations: [{ entityName: 'Ada', contents: ['kind'] }] }],
];

it('X-19 a key that comes again is told what it was told first, whatever others made of the notes, and nothing is written', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    const answers: unknown[] = [];
    const keyed = (index: number): Record<string, unknown> => ({ ...writes[index]?.[1], idempotency_key: `key ${index}` });
    await withServer(
      vault,
      async ({ ask }) => {
        for (const [tool, args] of beginnings) await ask(tool, { ...args });
        for (const [index, [tool]] of writes.entries()) answers.push(await ask(tool, keyed(index)));
      },
      all,
    );
    // A person renames one note, empties another and removes a third.
    renameSync(vault.path('renamed.md'), vault.path('By hand.md'));
    vault.write('memory/person/ada.md', 'Empty\n');
    vault.remove('projects/shed/walls.md');
    const files = Object.fromEntries(vault.files().map((file) => [file, vault.read(file)]));
    await withServer(
      vault,
      async ({ ask, refuse }) => {
        for (const [index, [tool]] of writes.entries()) expect(await ask(tool, keyed(index)), tool).toEqual(answers[index]);
        const { error } = await refuse('update_node', { ...keyed(1), content: 'Other\n' });
        expect(error.code).toBe('IDEMPOTENCY_MISMATCH');
      },
      all,
    );
    expect(Object.fromEntries(vault.files().map((file) => [file, vault.read(file)]))).toEqual(files);
  }));

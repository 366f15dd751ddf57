import { describe, expect, it } from 'vitest';
import { isLong } from '../../support/effort.ts';
import { withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';

/** So many that what takes their square holds roux for more than two seconds of its own. */
const LINES = 60_000;

/** A history that came with a vault, of one note. `fields` are what a line says besides. */
function historyOf(fields: (index: number) => object): string {
  const line = (index: number): string =>
    JSON.stringify({
      seq: index + 1,
      timestamp: '2026-01-01T00:00:00.000Z',
      node: 'plain.md',
      path: 'plain.md',
      agent: 'eve',
      action: 'updated',
      changes: [],
      ...fields(index),
    });
  return `${Array.from({ length: LINES }, (_, index) => line(index)).join('\n')}\n`;
}

/** What the lines of a history say besides. */
type Fields = (index: number) => object;

const aWriteEach: Fields = (index) => ({ timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString() });
const aStateEach: Fields = (index) => ({ hash: index.toString(16).padStart(16, '0') });
const sameState: Fields = () => ({ hash: '0'.repeat(16) });

const KINDS: readonly (readonly [what: string, fields: Fields])[] = [
  ['one write, of the same state of the note each', sameState],
  ['a write and a state of the note each', (index) => ({ ...aWriteEach(index), ...aStateEach(index) })],
  [
    'a move of the note each',
    (index) => ({
      action: 'renamed',
      path: `p${index + 1}.md`,
      changes: [{ field: 'path', before: `p${index}.md`, after: `p${index + 1}.md` }],
    }),
  ],
  // Each takes seconds: by themselves only in a long run.
  ...(isLong
    ? ([
        ['one write', () => ({})],
        ['a write each', aWriteEach],
        ['a state of the note each', aStateEach],
      ] as const)
    : []),
];

describe('H-02 a history of very many lines that came with a vault holds nobody', () => {
  it.each(KINDS)('H-02 %s', (_, fields) =>
    withVault({ 'plain.md': 'See [[p5]].\n', '.roux/history/2026-01.jsonl': historyOf(fields) }, (vault) =>
      withServe(vault, ['--toolsets', 'all'], async ({ url, told }) => {
        const ask = async (operation: string, input: object): Promise<number> => {
          const answer = await fetch(`${url}/api/${operation}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(input),
          });
          await answer.text();
          return answer.status;
        };
        expect(await ask('activity', {})).toBe(200);
        expect(await ask('activity', { kind: 'merged' })).toBe(200);
        expect(await ask('activity_diff', { id: 'foreign-5-00000000' })).toBe(404);
        expect(await ask('graph_history', { node_id: 'plain' })).toBe(200);
        expect(await ask('page_history', { path: 'plain.md' })).toBe(200);
        expect(await ask('vault_health', {})).toBe(200);
        expect(await ask('get_node', { id: 'p5', as_of: '2026-01-01T06:00:00Z' })).toBe(404);
        expect(await ask('get_node', { id: 'plain', as_of: '2026-01-01T06:00:00Z' })).toBe(404);
        expect(await ask('get_node', { id: 'plain', as_of: '7' })).toBe(404);
        expect(told()).not.toContain('has held roux');
      }),
    ),
  );
});

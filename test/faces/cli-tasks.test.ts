import { describe, expect, it } from 'vitest';

import { readOutline } from '../../src/faces/cli/plan-outline.ts';
import { cli } from '../support/cli.ts';
import { withVault } from '../support/vault.ts';

const OUTLINE = `# Garden shed

Some words that are no task.

- Buy blue paint !2 ^buy
- Paint the walls (after buy, ^sand)
  - [ ] Sand the wood ^sand
  - [x] Second coat
## Roof
1. Nail the felt
`;

describe('the outline of a plan', () => {
  it('reads nested lists and headings of Markdown', () => {
    expect(readOutline(OUTLINE)).toEqual({
      project: 'Garden shed',
      goal: null,
      nodes: [
        { ref: 'buy', summary: 'Buy blue paint', properties: { priority: 2 } },
        { ref: '#2', summary: 'Paint the walls', depends_on: ['buy', 'sand'] },
        { ref: 'sand', parent_ref: '#2', summary: 'Sand the wood' },
        { ref: '#4', parent_ref: '#2', summary: 'Second coat' },
        { ref: '#5', summary: 'Roof' },
        { ref: '#6', parent_ref: '#5', summary: 'Nail the felt' },
      ],
    });
  });

  it('reads YAML with children', () => {
    const yaml =
      'project: shed\ngoal: Blue\ntasks:\n  - summary: A\n    ref: a\n    children:\n      - summary: B\n        after: c\n  - summary: C\n    ref: c\n    properties: { priority: 1 }\n';
    expect(readOutline(yaml)).toEqual({
      project: 'shed',
      goal: 'Blue',
      nodes: [
        { ref: 'a', summary: 'A' },
        { ref: '#2', parent_ref: 'a', summary: 'B', depends_on: ['c'] },
        { ref: 'c', summary: 'C', properties: { priority: 1 } },
      ],
    });
  });

  it('takes a flat list that is YAML and Markdown alike, and refuses what holds no task', () => {
    expect(readOutline('- one\n- two\n').nodes.map(({ summary }) => summary)).toEqual(['one', 'two']);
    expect(() => readOutline('nothing here')).toThrow('There is no task in the input');
  });
});

describe('roux next, plan, done, tree', () => {
  it('plans from an outline, shows what to do, finishes it and draws the tree', async () => {
    await withVault({}, async (vault) => {
      const run = (args: readonly string[], stdin = ''): ReturnType<typeof cli> => cli([...args, '--vault', vault.root], { stdin });
      const planned = await run(['plan'], OUTLINE);
      expect(planned).toMatchObject({ status: 0, stderr: expect.stringContaining('6 tasks created.') });
      expect(planned.stdout.split('\n')[0]).toMatch(/^Buy blue paint {2}t_\w+$/);
      const next = await run(['next']);
      expect(next.stdout).toMatch(/^Buy blue paint {2}t_\w+\n {2}in {4}Garden shed\n$/);
      const claimed = JSON.parse((await run(['next', '--claim', '--json'])).stdout);
      expect(claimed.nodes[0].node.properties._claimed_by).toBeTypeOf('string');
      const sand = await run(['done', 'sand-the-wood', '--evidence', 'smooth']);
      expect(sand).toMatchObject({ status: 0, stdout: '' });
      await run(['done', 'second-coat']);
      const buy = await run(['done', 'buy-blue-paint', '-e', 'receipt']);
      expect(buy.stdout).toMatch(/^Now possible:\n {2}Paint the walls {2}t_\w+\n$/);
      const tree = await run(['tree']);
      expect(tree.stdout.replace(/ {2}t_\w+/g, '').replace(/ {2}@\S+/g, '')).toBe(
        [
          '○ Garden shed',
          '├─ ✓ Buy blue paint',
          '├─ ● Paint the walls',
          '│  ├─ ✓ Sand the wood',
          '│  └─ ✓ Second coat',
          '└─ ○ Roof',
          '   └─ ● Nail the felt',
          '',
        ].join('\n'),
      );
      expect((await run(['tree', '--open'])).stdout).not.toContain('✓');
      expect((await run(['history', 'sand-the-wood'])).stdout).toContain('resolved');
      await run(['done', 'paint-the-walls']);
      await run(['done', 'nail-the-felt']);
      await run(['done', 'roof']);
      expect(await run(['next'])).toMatchObject({ status: 1, stderr: expect.stringContaining('are resolved') });
      expect((await run(['done', 'nothing-of-that-name'])).status).not.toBe(0);
    });
  });
});

import { describe, expect, it } from 'vitest';
import { readOutline } from '../../../src/faces/cli/tasks/plan-outline.ts';
import { clipToWidth, widthOf } from '../../../src/faces/cli/terminal.ts';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

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

  it('says what is wrong with YAML instead of taking it for a list', () => {
    expect(readOutline('tasks:\n  - A\n  - summary: B\n    children: [C]\n').nodes).toEqual([
      { ref: '#1', summary: 'A' },
      { ref: '#2', summary: 'B' },
      { ref: '#3', parent_ref: '#2', summary: 'C' },
    ]);
    expect(() => readOutline('tasks:\n  - sumary: A\n')).toThrow('Every task needs a summary, also this one: {"sumary":"A"}');
    expect(() => readOutline('tasks:\n  - summary: A\n    afer: B\n')).toThrow('"A" has a key "afer"; a task has summary, ref');
    expect(() => readOutline('tasks:\n  - summary: [\n')).toThrow(/^The outline is no YAML: .* line \d/);
  });
});

describe('lines of a terminal', () => {
  it('are cut by the columns that characters take, not inside one', () => {
    expect([widthOf('abc'), widthOf('日本'), widthOf('e\u0301'), widthOf('👩‍👩‍👧')]).toEqual([3, 4, 1, 2]);
    expect(clipToWidth('abcdef', 6)).toBe('abcdef');
    expect(clipToWidth('abc def', 5)).toBe('abc…');
    expect(clipToWidth('日本語です', 6)).toBe('日本…');
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
          '○ Garden shed 1/3',
          '├─ ✓ Buy blue paint',
          '├─ ● Paint the walls 2/2',
          '│  ├─ ✓ Sand the wood',
          '│  └─ ✓ Second coat',
          '└─ ○ Roof 0/1',
          '   └─ ● Nail the felt',
          '',
        ].join('\n'),
      );
      expect((await run(['tree', '--open'])).stdout).not.toContain('✓');
      await run(['done', 'roof']);
      expect((await run(['tree', '--open'])).stdout).toMatch(/└─ ✓ Roof 0\/1.*\n {3}└─ ● Nail the felt/);
      expect((await run(['history', 'sand-the-wood'])).stdout).toContain('resolved');
      await run(['done', 'paint-the-walls']);
      await run(['done', 'nail-the-felt']);
      expect(await run(['next'])).toMatchObject({ status: 1, stderr: expect.stringContaining('are resolved') });
      expect((await run(['done', 'nothing-of-that-name'])).status).not.toBe(0);
    });
  });

  it('a plan that is refused leaves nothing behind, not even the project made for it', async () => {
    await withVault({}, async (vault) => {
      const plan = (outline: string): ReturnType<typeof cli> => cli(['plan', '--vault', vault.root], { stdin: outline });
      const refused = await plan('# Boat\n- Mast (after ^hull)\n');
      expect(refused).toMatchObject({ status: 3, stdout: '', stderr: expect.stringContaining('"hull"') });
      expect(vault.files().filter((file) => file.startsWith('projects/'))).toEqual([]);
      await plan('# Boat\n- Hull ^hull\n  - Planks\n');
      expect((await plan('# Boat\n- Mast (after ^sail)\n')).status).toBe(3);
      const nested = await plan('# Boat\n- Deck ^deck\n  - Boards (after ^deck)\n');
      expect(nested.stdout).toMatch(/^Deck {2}t_\w+\n {2}Boards {2}t_\w+\n$/);
      expect(nested.stderr).toContain('neither can be worked on');
      const tree = await cli(['tree', '--vault', vault.root, '--json']);
      expect(JSON.parse(tree.stdout)).toHaveLength(5);
    });
  });

  it('item 24: what comes first is a task of the outline itself before an older one of that name', async () => {
    await withVault({}, async (vault) => {
      const plan = (stdin: string) => cli(['plan', '--vault', vault.root], { stdin });
      const firstOf = (name: string): string =>
        /depends_on:\n? +(?:- )?"?\[\[([^\]|]+)/.exec(vault.read(`projects/shed/${name}.md`))?.[1] ?? '';
      expect((await plan('# Shed\n- Buy sand\n- Buy paint\n')).status).toBe(0);
      expect((await plan('# Shed\n- Mix mortar (after buy SAND, buy-paint)\n- Buy sand\n')).status).toBe(0);
      // The second "Buy sand" has the numbered file; there is one "Buy paint" only, the older one, by its file.
      expect(firstOf('mix-mortar')).toBe('buy-sand-2');
      expect(vault.read('projects/shed/mix-mortar.md')).toContain('[[buy-paint]]');
      expect((await plan('project: Shed\ntasks:\n  - summary: Plaster\n    after: Buy sand\n  - summary: Buy sand\n')).status).toBe(0);
      expect(firstOf('plaster')).toBe('buy-sand-3');
      const before = vault.files();
      const unclear = await plan('# Shed\n- Paint (after Dry)\n- Dry\n- Dry\n');
      expect(unclear).toMatchObject({ status: 2, stdout: '' });
      expect(unclear.stderr).toContain('which the outline has 2 times');
      expect(vault.files()).toEqual(before);
      const help = await cli(['plan', '--help']);
      for (const mark of ['(after A, B)', '!2', '^paint']) expect(help.stdout).toContain(mark);
    });
  });

  it('update --set blocks a task, and frees it', async () => {
    const task = '---\ntype: task\n---\n';
    await withVault({ 'projects/p/p.md': '---\ntype: project\n---\n', 'projects/p/a.md': task }, async (vault) => {
      const run = (...args: string[]): ReturnType<typeof cli> => cli([...args, '--vault', vault.root]);
      await run('update', 'a', '--set', '{"blocked": "why"}');
      expect(vault.read('projects/p/a.md')).toContain('\nblocked: why\n');
      expect((await run('tree')).stdout).toContain('└─ ✗ a (why)');
      expect(await run('next')).toMatchObject({ status: 1, stderr: expect.stringContaining('blocked by hand: why') });
      await run('update', 'a', '--set', '{"blocked": null}');
      expect((await run('next')).stdout).toContain('a');
    });
  });

  it('the tree says why a task is blocked by hand', async () => {
    await withVault(
      { 'projects/p/p.md': '---\ntype: project\n---\n', 'projects/p/a.md': '---\ntype: task\nblocked: no money\n---\n' },
      async (vault) => {
        expect((await cli(['tree', '--vault', vault.root])).stdout).toContain('└─ ✗ a (no money)');
      },
    );
  });

  it('F55 draws a chain of tasks as far down as one can follow it, and counts the rest', () =>
    withVault({ 'projects/p/p.md': '---\nid: t_p\nproject: p\n---\n' }, async (vault) => {
      for (let count = 0; count < 300; count++) {
        const parent = count === 0 ? 'p' : `t${count - 1}`;
        vault.write(`projects/p/t${count}.md`, `---\nid: t_${count}\ntype: task\nparent: "[[${parent}]]"\nsummary: T${count}\n---\n`);
      }
      const { stdout } = await cli(['tree', '--vault', vault.root]);
      expect(stdout.trimEnd().split('\n')).toHaveLength(52);
      expect(stdout).toMatch(/└─ … 249 tasks further down\n$/);
    }));
});

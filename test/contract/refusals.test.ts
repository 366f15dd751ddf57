import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import type { McpSession } from '../support/program/mcp-client.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import { withTasks } from './tasks/task-session.ts';

const all = { flags: ['--toolsets', 'all'] };

describe('item 21: what is refused says what to do', () => {
  it('a tool without a required argument names what was given instead', () =>
    withVault({ 'a.md': 'x\n' }, (vault) =>
      withServer(
        vault,
        async ({ refuse }) => {
          const message = async (tool: string, args: Record<string, unknown>): Promise<string> => (await refuse(tool, args)).error.message;
          expect(await message('get_node', { path: 'a.md' })).toBe(
            'get_node: id is required. Given instead: path, which this tool does not know.',
          );
          expect(await message('get_node', {})).toBe('get_node: id is required.');
          expect(await message('graph_update', { node_id: 't', resolved: true })).toContain('Given instead: node_id, resolved, which');
          expect(await refuse('create_entities', { entities: [{ title: 'Ada', entityType: 'person' }] })).toContain(
            'entities[0].name is required. Given instead: entities[0].title, which',
          );
          const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}${'x'.repeat(500)}`, 1]));
          const told = await message('get_node', many);
          expect(told).toContain('and 195 more');
          expect(told.length).toBeLessThan(500);
          // Another argument is wrong, not missing: what is not known is a warning of its own.
          expect(await message('get_node', { id: 7, path: 'a' })).not.toContain('Given instead');
        },
        all,
      ),
    ));

  it('H-18 an argument that holds a write back is refused in another spelling, not ignored', () =>
    withVault({ 'a.md': 'x\n' }, (vault) =>
      withServer(
        vault,
        async ({ refuse, call }) => {
          const update = { id: 'a', append: 'y' };
          for (const [tool, args, wanted] of [
            ['update_node', { ...update, dryRun: true }, 'dryRun is not known here; write dry_run'],
            ['update_node', { ...update, 'DRY-RUN': true }, 'write dry_run'],
            ['update_node', { ...update, expectedRev: 3 }, 'write expected_rev'],
            ['update_node', { ...update, ifMatch: 'x' }, 'write if_match'],
            ['update_node', { ...update, idempotencyKey: 'k' }, 'write idempotency_key'],
            ['create_node', { title: 'a', content: 'z', ifExists: 'error' }, 'write if_exists'],
            ['delete_node', { id: 'a', expected_rev: 3 }, 'leave it out'],
          ] as const)
            expect((await refuse(tool, args)).error.message, JSON.stringify(args)).toContain(wanted);
          expect(await refuse('create_entities', { entities: [], dryRun: true })).toContain('write dry_run');
          const nested = await refuse('graph_update', { updates: [{ node_id: 't', expectedRev: 1 }] });
          expect(JSON.stringify(nested)).toContain('updates[0].expectedRev is not known here; write expected_rev');
          expect(vault.files()).toEqual(['a.md']);
          expect(vault.read('a.md')).toBe('x\n');
          // Any other one only takes something away from the answer, or nothing.
          expect((await call('update_node', { ...update, colour: 'red' })).texts.join()).toContain('Unknown field colour was ignored.');
        },
        all,
      ),
    ));

  it('an encoding that is none names the ones there are', () =>
    withVault({ 'a.md': 'x\n' }, (vault) =>
      withServer(vault, async ({ refuse }) => {
        for (const [tool, args] of [
          ['create_node', { title: 'n', content: 'c' }],
          ['update_node', { id: 'a', content: 'c' }],
        ] as const) {
          const { error } = await refuse(tool, { ...args, encoding: 'latin1' });
          expect(error).toMatchObject({ code: 'INVALID_PARAMS' });
          expect(error.message).toContain('encoding must be one of "utf-8", "base64", got "latin1"');
        }
        expect(vault.files()).toEqual(['a.md']);
      }),
    ));

  it('requests whose parameters do not fit are -32602 and say which', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ client }) => {
        const codeOf = async (method: string, params: Record<string, unknown>): Promise<unknown> => {
          const failure: unknown = await client
            .request({ method, params } as never, { safeParse: (data: unknown) => ({ success: true, data }) } as never)
            .catch((error: unknown) => error);
          return { code: (failure as { code?: number }).code, message: (failure as Error).message };
        };
        for (const [method, params, field] of [
          ['tools/call', {}, 'params.name'],
          ['tools/call', { name: null, arguments: {} }, 'params.name'],
          ['tools/call', { name: 'get_node', arguments: [] }, 'params.arguments'],
          ['resources/read', {}, 'params.uri'],
          ['prompts/get', {}, 'params.name'],
          ['completion/complete', {}, 'params.ref'],
        ] as const) {
          const failure = await codeOf(method, params);
          expect(failure, method).toMatchObject({ code: -32602, message: expect.stringContaining(`${method}: ${field}: `) as string });
        }
      }),
    ));

  it('a directory that leads out when it is decoded, or is longer than paths are, is INVALID_PARAMS and makes nothing', () =>
    withVault({ 'a.md': 'x\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const long = Array(20).fill('d'.repeat(200)).join('/');
        for (const directory of [
          '%2e%2e',
          '%2E%2e/etc',
          'x/%2e%2e/%2e%2e',
          '%2e.',
          '..%2f..%2fetc',
          '%2e',
          'd'.repeat(4200),
          long,
          '../x',
        ]) {
          const { error } = await refuse('create_node', { title: 'n', content: 'c', directory });
          expect(error, directory).toMatchObject({ code: 'INVALID_PARAMS', details: { field: 'directory' } });
          expect(error.message).toContain('Name a folder of the vault');
          expect(JSON.stringify(error)).not.toContain(vault.root);
        }
        expect(vault.files()).toEqual(['a.md']);
        expect(vault.list('.').filter((name) => !name.startsWith('.'))).toEqual(['a.md']);
        // Names that only look like it are names.
        expect((await ask('create_node', { title: 'n', content: 'c', directory: '100%25 %2epub' })).path).toBe('100%25 %2epub/n.md');
      }),
    ));

  it('no message to a client carries a path of the machine', () =>
    withVault({ 'a.md': 'x\n', 'locked.md': 'x\n', '.rouxrc.json': '{}' }, async (vault) => {
      const home = mkdtempSync(join(tmpdir(), 'roux-user-'));
      try {
        const said = await withServer(
          vault,
          async (session) => {
            mkdirSync(vault.path('folder.md'));
            symlinkSync('/etc/passwd', vault.path('out.md'));
            symlinkSync('loop.md', vault.path('loop.md'));
            chmodSync(vault.path('locked.md'), 0);
            const told: string[] = [];
            const places = ['folder.md', 'out.md', 'loop.md', 'locked.md', 'a.md/b', 'a.md', `${'d'.repeat(300)}.md`, vault.path('a.md')];
            for (const place of places) told.push(...(await tryEverything(session, place)));
            mkdirSync(join(home, 'roux'));
            writeFileSync(join(home, 'roux/config.json'), '{');
            const { texts } = await session.call('search', { query: 'x' });
            expect(texts.join()).toContain('$XDG_CONFIG_HOME/roux/config.json is not valid JSON');
            told.push(...texts);
            vault.remove('.');
            for (const place of places) told.push(...(await tryEverything(session, place)));
            return told;
          },
          { ...all, env: { XDG_CONFIG_HOME: home } },
        );
        expect(said.length).toBeGreaterThan(100);
        for (const text of said)
          for (const secret of [vault.root, home]) expect(text.replaceAll(`${vault.root}/a.md`, '')).not.toContain(secret);
      } finally {
        rmSync(home, { recursive: true });
      }
    }));
});

/** What a client is told about a place by all ways that take one. */
async function tryEverything({ call, client }: McpSession, place: string): Promise<readonly string[]> {
  const told: string[] = [];
  for (const [tool, args] of [
    ['get_node', { id: place }],
    ['update_node', { id: place, content: 'c' }],
    ['delete_node', { id: `no ${place}` }],
    ['create_node', { title: 't', content: 'c', directory: place }],
    ['create_node', { title: place, content: 'c' }],
    ['get_node_content', { id: place }],
    ['graph_context', { node_id: place }],
    ['search', { query: `path:"${place}"` }],
  ] as const)
    told.push(...(await call(tool, args)).texts);
  const uri = `roux://note/${place.split('/').map(encodeURIComponent).join('/')}`;
  told.push(
    await client.readResource({ uri }).then(
      (read) => JSON.stringify(read),
      (error: unknown) => String(error),
    ),
  );
  return told;
}

it('item 21: a task moved below what waits for it is told of', () =>
  withTasks(async ({ call, ask, plan }) => {
    const { wall, paint, brush } = await plan(['wall', 'paint', 'brush'].map((ref) => ({ ref, summary: ref })));
    await ask('graph_connect', { edges: [{ from: brush, to: wall, type: 'depends_on' }] });
    await ask('graph_restructure', { operations: [{ op: 'move', node_id: brush, new_parent: paint }] });
    // What is below the moved one counts too.
    const { texts } = await call('graph_restructure', { operations: [{ op: 'move', node_id: paint, new_parent: wall }] });
    expect(texts[1]).toContain('\\"brush\\" is below \\"wall\\" and now waits for it: neither can be worked on.');
  }));

describe('item 21: an id that no note has any more', () => {
  it('says into which task it was merged, through several merges, and the way back after a deletion', () =>
    withTasks(async ({ vault, ask, refuse, call, plan, resolve }) => {
      const { a, b, c } = await plan(['a', 'b', 'c'].map((ref) => ({ ref, summary: `Task ${ref}` })));
      await ask('graph_restructure', { operations: [{ op: 'merge', source: a, target: b }] });
      const told = `It was merged into ${b} (projects/shed/task-b.md): use that id.`;
      expect(await refuse('graph_context', { node_id: a })).toMatchObject({
        code: 'node_not_found',
        message: expect.stringContaining(told),
      });
      expect((await refuse('graph_update', { updates: [{ node_id: a, resolved: true }] })).message).toContain(told);
      expect((await refuse('graph_plan', { nodes: [{ ref: 'n', summary: 'n', parent_ref: a }] })).message).toContain(told);
      expect((await refuse('graph_plan', { nodes: [{ ref: 'n', summary: 'n', parent_ref: b, depends_on: [a] }] })).message).toContain(told);
      expect((await refuse('update_node', { id: a, content: 'x' })).message).toContain(told);
      const { value, texts } = await call('graph_connect', { edges: [{ from: c, to: a, type: 'depends_on' }] });
      expect(value.rejected).toEqual([{ from: c, to: a, reason: 'node_not_found' }]);
      expect(texts[1]).toContain(`into ${b}`);
      // S2-06: reading what is not there is null, not an error.
      expect(await ask('get_node', { id: a })).toBeNull();
      await ask('graph_restructure', { operations: [{ op: 'merge', source: b, target: c }] });
      expect((await refuse('graph_context', { node_id: a })).message).toContain(`It was merged into ${c} (projects/shed/task-c.md)`);
      await ask('graph_restructure', { operations: [{ op: 'delete', node_id: c }] });
      const { message } = await refuse('graph_context', { node_id: a });
      expect(message).toMatch(
        new RegExp(`merged into ${c}, which was deleted by ada on .*"roux restore projects/shed/task-c.md" brings it back`),
      );
      expect((await cli(['restore', 'projects/shed/task-c.md', '--vault', vault.root])).status).toBe(0);
      await resolve(c ?? '');
      expect((await refuse('graph_context', { node_id: a })).message).toContain(`It was merged into ${c}`);
    }));

  it('says nothing of what nobody knows, of names that are no ids, and of files that lie in no trash', () =>
    withTasks(async ({ vault, refuse, plan }) => {
      const unknown = 't_00000000000000000000000000';
      expect((await refuse('graph_context', { node_id: unknown })).message).toBe(
        `There is no task "${unknown}". Find ids with graph_query.`,
      );
      expect((await refuse('graph_context', { node_id: 'nothing' })).message).not.toContain('It was');
      const { a } = await plan([{ ref: 'a', summary: 'Task a' }]);
      vault.remove('projects/shed/task-a.md');
      // Recorded once it is sure that it was no rename.
      await waitFor(
        async () =>
          /It was removed by external on .* and is not in the trash/.test(
            (await refuse('graph_context', { node_id: a })).message as string,
          ),
        { what: 'what became of the task' },
      );
    }));
});

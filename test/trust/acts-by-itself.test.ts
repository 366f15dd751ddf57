import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cli, cliProcess } from '../support/program/cli.ts';
import { withMcp } from '../support/program/mcp-client.ts';
import type { McpProcess } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const FIX = '{"repairExternalRenames": "fix"}\n';
const LINKING = 'See [[Old]].\n';
/** As they came from elsewhere: no roux ever ran on them. */
const FOREIGN = { '.rouxrc.json': FIX, 'Old.md': 'The body.\n', 'linking.md': LINKING };
const ALL = { flags: ['--toolsets', 'all'] };
const SETTING = '"repairExternalRenames": "fix"';

/** A person renames the note, and nobody has touched the others for a while. */
function renameByHand(vault: TestVault): void {
  const before = new Date(Date.now() - 60_000);
  for (const file of ['Old.md', 'linking.md']) utimesSync(vault.path(file), before, before);
  renameSync(vault.path('Old.md'), vault.path('New.md'));
}

/** What the server says of a vault as a whole. */
async function vaultFindings({ ask }: Pick<McpProcess, 'ask'>, kind = 'vault'): Promise<readonly string[]> {
  const { findings } = await ask('vault_health', { kinds: [kind] });
  return findings.map(({ message }: { message: string }) => message);
}

/** Waits until the server has decided what becomes of the rename: it reports, or rewrites. */
async function decision(vault: TestVault, session: McpProcess): Promise<'reported' | 'rewritten'> {
  return waitFor(
    async (): Promise<'reported' | 'rewritten' | null> => {
      if (vault.read('linking.md') !== LINKING) return 'rewritten';
      const isReported = (await vaultFindings(session)).some((message) => message.startsWith('Old.md was moved to New.md'));
      return isReported ? 'reported' : null;
    },
    { what: 'what becomes of the rename' },
  );
}

const doctor = async (vault: TestVault): Promise<string> => (await cli(['doctor', vault.root])).stdout;
const trust = (...args: string[]) => cli(['trust', ...args]);

async function trusted(vault: TestVault): Promise<boolean> {
  const { folders } = JSON.parse((await trust('--list', '--json')).stdout) as { folders: readonly { path: string; state: string }[] };
  return folders.some(({ path, state }) => path === vault.root && state === 'trusted');
}

describe('H-23 settings that came with a vault', () => {
  it('H-23 repairExternalRenames: fix of a vault from elsewhere writes nothing; one warning and a finding name it and "roux trust"', () =>
    withVault(FOREIGN, (vault) =>
      withMcp(
        vault,
        async (session) => {
          await session.ask('get_node', { id: 'Old.md' });
          renameByHand(vault);
          expect(await decision(vault, session)).toBe('reported');
          expect(vault.read('linking.md')).toBe(LINKING);
          const named = session
            .stderr()
            .split('\n')
            .filter((line) => line.includes(SETTING));
          expect(named).toEqual([expect.stringContaining('roux trust')]);
          expect(await vaultFindings(session)).toContainEqual(expect.stringContaining(SETTING));
        },
        ALL,
      ),
    ));

  it('H-23 "roux trust" applies it, for that folder at that path; --remove ends it', () =>
    withVault(FOREIGN, async (vault) => {
      expect(await doctor(vault)).toContain(SETTING);
      expect(await cliProcess(['trust', vault.root])).toMatchObject({ status: 0, stdout: expect.stringContaining(vault.root) });
      expect(await doctor(vault)).not.toContain(SETTING);
      await withMcp(
        vault,
        async (session) => {
          await session.ask('get_node', { id: 'Old.md' });
          renameByHand(vault);
          expect(await decision(vault, session)).toBe('rewritten');
          expect(vault.read('linking.md')).toBe('See [[New]].\n');
          expect(session.stderr()).not.toContain(SETTING);
        },
        ALL,
      );
      // Another folder in its place is not the one that was trusted, and neither is the one that was, elsewhere.
      const moved = `${vault.root}-moved`;
      renameSync(vault.root, moved);
      try {
        mkdirSync(vault.root);
        writeFileSync(vault.path('.rouxrc.json'), FIX);
        for (const root of [vault.root, moved]) expect((await cli(['doctor', root])).stdout).toContain(SETTING);
        expect((await trust('--list')).stdout).toMatch(new RegExp(`^${vault.root} .*replaced$`, 'm'));
        expect((await trust('--remove', vault.root)).status).toBe(0);
        expect((await trust('--list')).stdout).not.toContain(vault.root);
        expect((await trust('--remove', vault.root)).status).toBe(1);
      } finally {
        rmSync(moved, { recursive: true, force: true });
      }
    }));

  it('H-23 what the user says in the own file is what holds, for it and against it, and nothing is missed then', () =>
    withVault(FOREIGN, async (vault) => {
      const folder = mkdtempSync(join(tmpdir(), 'roux-user-'));
      try {
        mkdirSync(join(folder, 'roux'));
        for (const said of ['fix', 'off']) {
          writeFileSync(join(folder, 'roux/config.json'), JSON.stringify({ repairExternalRenames: said }));
          expect((await cli(['doctor', vault.root], { env: { XDG_CONFIG_HOME: folder } })).stdout).not.toContain(SETTING);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    }));

  it('H-23 a setting that comes while a server runs is told once, and the server goes on as it began', () =>
    withVault({ ...FOREIGN, '.rouxrc.json': '{}\n' }, (vault) =>
      withMcp(
        vault,
        async (session) => {
          await session.ask('get_node', { id: 'Old.md' });
          vault.write('.rouxrc.json', FIX);
          const { texts } = await session.call('get_node', { id: 'Old.md' });
          expect(texts.join('\n')).toContain('roux trust');
          expect(await vaultFindings(session)).toContainEqual(expect.stringContaining('roux trust'));
          vault.write('.rouxrc.json', '{}\n');
          expect(await vaultFindings(session)).not.toContainEqual(expect.stringContaining('roux trust'));
        },
        ALL,
      ),
    ));

  it('H-23 a folder that "roux init" made is trusted; one that came with settings is not, and is told so', async () => {
    await withVault({ 'Old.md': 'The body.\n' }, async (vault) => {
      expect((await cliProcess(['init', vault.root])).status).toBe(0);
      expect(await trusted(vault)).toBe(true);
      vault.write('.rouxrc.json', FIX);
      expect(await doctor(vault)).not.toContain(SETTING);
    });
    await withVault(FOREIGN, async (vault) => {
      const { status, stderr } = await cliProcess(['init', vault.root]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('roux trust') });
      expect(await trusted(vault)).toBe(false);
      expect(await doctor(vault)).toContain(SETTING);
    });
  });

  it('H-23 by the user’s own word what a person renames is followed without trust; what only a line from elsewhere tells of is reported', () =>
    withVault(
      { ...FOREIGN, 'There.md': 'It was never elsewhere.\n', 'claim.md': 'See [[Gone]].\n', '.roux/history/2026-01.jsonl': '' },
      (vault) =>
        withMcp(
          vault,
          async (session) => {
            await session.ask('get_node', { id: 'There.md' });
            const before = new Date(Date.now() - 60_000);
            utimesSync(vault.path('claim.md'), before, before);
            const event = {
              seq: 1,
              timestamp: '2026-01-01T00:00:00.000Z',
              node: 'There.md',
              path: 'There.md',
              agent: 'external',
              action: 'renamed',
              changes: [{ field: 'path', before: 'Gone.md', after: 'There.md' }],
            };
            appendFileSync(vault.path('.roux/history/2026-01.jsonl'), `${JSON.stringify(event)}\n`);
            await session.ask('get_node', { id: 'There.md' });
            renameByHand(vault);
            expect(await decision(vault, session)).toBe('rewritten');
            const isTold = async (): Promise<boolean> =>
              (await vaultFindings(session, 'unresolved-link')).some((message) =>
                message.startsWith('[[Gone]] leads nowhere; that it is There.md now is said by a line'),
              );
            await waitFor(async () => vault.read('claim.md') !== 'See [[Gone]].\n' || (await isTold()));
            expect(vault.read('claim.md')).toBe('See [[Gone]].\n');
            expect(session.stderr()).not.toContain(SETTING);
          },
          { ...ALL, env: { ROUX_REPAIR_EXTERNAL_RENAMES: 'fix' } },
        ),
    ));
});

/** Longer than what is read in the call that brings it. */
const LONG = 'Bob lives in Bern. '.repeat(300);

/** An episode as a vault has it in which it was read long ago. */
async function episodeOf(body: string): Promise<string> {
  return withVault({ '.rouxrc.json': '{}\n', 'e.txt': body }, async (vault) => {
    expect((await cli(['ingest', vault.path('e.txt'), '--vault', vault.root])).status).toBe(0);
    return vault.read(vault.files().find((file) => file.includes('/episodes/')) ?? '');
  });
}

describe('H-23 episodes that came with a vault', () => {
  it('H-23 one that was read before and waits again, with another text or other facts, is not worked on until somebody says so', async () => {
    const done = await episodeOf('Ada works at Acme.\n');
    const facts = { nodes: [{ tmp_ref: 'm', name: 'Mallory' }], edges: [] };
    const planted = {
      'same.md': done.replace('state: completed', 'state: accepted'),
      'text.md': done.replace('state: completed', 'state: accepted').replace('Ada works at Acme.', 'Mallory works at Evil Corp.'),
      'facts.md': `${done.replace('state: completed', 'state: extracted')}\n## Extraction\n\n\`\`\`json\n${JSON.stringify(facts)}\n\`\`\`\n`,
    };
    const files = Object.fromEntries(
      Object.entries(planted).map(([name, text], at) => [
        `knowledge/default/episodes/2026-01/${name}`,
        text.replace(/^id: .*$/m, `id: ep_${at}`).replace(/created_at: .*/, 'created_at: 2026-01-01T00:00:00.000Z'),
      ]),
    );
    await withVault({ '.rouxrc.json': '{}\n', ...files }, (vault) =>
      withMcp(
        vault,
        async ({ call, ask }) => {
          // A long text waits, too: when it is read the others would have been, which are older.
          const input = {
            group_id: 'default',
            items: [{ source: 'text', body: LONG, reference_time: '2026-01-02T00:00:00Z' }],
          };
          const { receipt_id } = (await call('kg_add_episodes', { input })).value.output;
          await waitFor(async () => (await call('kg_get_receipt', { input: { receipt_id } })).value.output.counts.completed === 1);
          for (const [file, text] of Object.entries(files)) expect(vault.read(file)).toBe(text);
          const { findings } = await ask('vault_health', { kinds: ['episode'] });
          const isForeign = ({ message }: { message: string }): boolean => message.includes('accepted elsewhere');
          expect(findings.filter(isForeign)).toHaveLength(3);
          expect((await call('kg_retry_parked', { input: { group_id: 'default' } })).value.output.retried).toBe(3);
          await waitFor(() => Object.keys(files).every((file) => vault.read(file).includes('state: completed')));
          expect(vault.read(Object.keys(files)[0] ?? '')).not.toContain('mark:');
        },
        ALL,
      ),
    );
  });
});

afterAll(async () => {
  for (const { path } of (JSON.parse((await trust('--list', '--json')).stdout) as { folders: readonly { path: string }[] }).folders)
    if (path.startsWith(tmpdir())) await trust('--remove', path);
});

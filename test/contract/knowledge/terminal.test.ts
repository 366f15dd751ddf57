import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import type { CliResult } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { ok } from './kg.ts';

const SETTINGS = '{"knowledge": {"single": ["WORKS_AT"]}}';
const ACME = 'Alice -[WORKS_AT]-> Acme: Alice works at Acme since 2024-01-01.\nAlice -[LIKES]-> Tea: Alice likes tea.\n';
const GLOBEX = 'Alice -[WORKS_AT]-> Globex: Alice works at Globex since 2025-03-01.\n';
const ALICE = 'knowledge/default/entities/alice.md';

/** Runs with a vault, a folder of texts beside it, and the program. */
function withTexts(
  texts: Readonly<Record<string, string>>,
  run: (roux: (args: readonly string[], stdin?: string) => Promise<CliResult>, vault: TestVault, beside: TestVault) => Promise<void>,
): Promise<void> {
  return withVault(texts, (beside) =>
    withVault({ '.rouxrc.json': SETTINGS }, (vault) =>
      run((args, stdin = '') => cli([...args, '--vault', vault.root], { cwd: beside.root, stdin }), vault, beside),
    ),
  );
}

// oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for.
const json = ({ stdout }: CliResult): any => JSON.parse(stdout);

/** A fact of a timeline. */
type Told = {
  readonly uuid: string;
  readonly name: string;
  readonly direction: string;
  readonly state: string;
  readonly deleted_by?: string;
};

describe('roux ingest', () => {
  it('S3-10 S3-26 brings a text in once, however often it is repeated, and tells what became of it', () =>
    withTexts({ 'a.md': ACME }, async (roux, vault) => {
      expect(await roux(['ingest', 'a.md'])).toEqual({ status: 0, stdout: '1 episode in the group default: 1 completed.\n', stderr: '' });
      const files = vault.files();
      expect(files.filter((file) => file.includes('/episodes/'))).toHaveLength(1);
      expect(vault.read(ALICE)).toContain('- WORKS_AT [[acme|Acme]]: Alice works at Acme since 2024-01-01.');
      expect(json(await roux(['ingest', 'a.md', '--json']))).toMatchObject({ group_id: 'default', items: 1, episodes: 1, completed: 1 });
      expect(vault.files()).toEqual(files);
      const [episode = ''] = files.filter((file) => file.includes('/episodes/'));
      expect(vault.read(episode)).toContain('title: a\n');
    }));

  it('S3-10 takes JSON, stdin, and a time when it was said', () =>
    withTexts({ 'a.json': '{"name": "Bob", "employer": "Initech"}' }, async (roux, vault) => {
      expect((await roux(['ingest', 'a.json', '--reference-time', '2024-05', '--group', 'g', '--name', 'From a form'])).status).toBe(0);
      expect(
        (await roux(['ingest', '-', '--source', 'message', '--reference-time', '2024-05-06T07:08Z'], 'Ann(user): I like tea.')).status,
      ).toBe(0);
      await withServer(
        vault,
        async (session) =>
          expect((await ok(session, 'get_episodes', { group_id: 'g', last_n: 5 })).episodes).toMatchObject([
            {
              source: 'json',
              name: 'From a form',
              reference_time: '2024-05-01T00:00:00.000Z',
              body: '{"name": "Bob", "employer": "Initech"}',
            },
            { source: 'message', reference_time: '2024-05-06T07:08:00.000Z', body: 'Ann(user): I like tea.' },
          ]),
        { flags: ['--toolsets', 'all'] },
      );
    }));

  it('S3-23 S3-28 tells what was parked and why with exit status 1, and tries it again when it comes again', () => {
    const bad = {
      source: 'text',
      body: 'b',
      reference_time: '2025-01-01T00:00:00Z',
      extraction: { nodes: [], edges: [{ name: 'R', fact: 'x', source_ref: 'p', target_ref: 'q' }] },
    };
    const good = { source: 'text', body: GLOBEX, reference_time: '2025-03-02T00:00:00Z' };
    return withTexts({ 'many.jsonl': `${JSON.stringify(good)}\n\n${JSON.stringify(bad)}\n` }, async (roux, vault, beside) => {
      const { status, stdout, stderr } = await roux(['ingest', 'many.jsonl']);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '2 episodes in the group default: 1 completed, 1 parked.\n' });
      expect(stderr).toMatch(/^parked {2}knowledge\/default\/episodes\/2025-01\/\S+\.md: INVALID_ARGUMENT: .*source_ref/);
      const mended = { ...bad, extraction: { nodes: [], edges: [] } };
      beside.write('many.jsonl', `${JSON.stringify(good)}\n${JSON.stringify(mended)}\n`);
      expect((await roux(['ingest', 'many.jsonl'])).status).toBe(0);
      expect(vault.files().filter((file) => file.includes('/episodes/'))).toHaveLength(2);
    });
  });

  it('S3-20 S3-32 what was parked for a reason that is gone is completed when it comes again as it was', () =>
    withTexts({ 'a.md': 'Alice -[LIKES]-> Tea: Alice likes tea very much.\n' }, async (roux, vault) => {
      vault.write('.rouxrc.json', '{"knowledge": {"limits": {"fact": 16}}}');
      const refused = await roux(['ingest', 'a.md', '--reference-time', '2026-01-01']);
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/^parked {2}\S+: /) });
      vault.write('.rouxrc.json', SETTINGS);
      expect((await roux(['ingest', 'a.md', '--reference-time', '2026-01-01'])).stdout).toContain('1 completed.');
      expect(json(await roux(['facts', 'tea', '--json'])).facts).toHaveLength(1);
    }));

  it('S3-02 a line that is wrong is named, and nothing of the file is brought in', () => {
    const fine = '{"source": "text", "body": "a", "reference_time": "2025-01-01T00:00:00Z"}';
    const files = {
      'a.jsonl': `${fine}\n\n{"source": "text", "body": "b", "reference_time": "2025-01-01T00:00:00Z", "extra": 1}\n`,
      'b.jsonl': `${fine}\n{"source": "text"\n`,
      'c.jsonl': `${fine}\n{"source": "text", "body": "b"}\n`,
      'd.jsonl': `${fine}\n{"source": "json", "body": "{", "reference_time": "2025-01-01T00:00:00Z"}\n`,
      'e.md': '  \n',
    };
    return withTexts(files, async (roux, vault) => {
      for (const [file, told] of [
        ['a.jsonl', 'a.jsonl, line 3: extra'],
        ['b.jsonl', 'b.jsonl, line 2: no JSON'],
        ['c.jsonl', 'c.jsonl, line 2: reference_time'],
        ['d.jsonl', 'd.jsonl, line 2: body'],
        ['e.md', 'e.md: body is blank'],
      ] as const) {
        const { status, stderr } = await roux(['ingest', file]);
        expect({ file, status }).toEqual({ file, status: 2 });
        expect(stderr).toContain(told);
      }
      expect(vault.files()).toEqual(['.rouxrc.json']);
    });
  });

  it('S3-49 S3-33 divides what is more than a call may hold, and waits where the queue is full', () =>
    withVault(
      {
        'many.jsonl': Array.from({ length: 12 }, (_, at) =>
          JSON.stringify({ source: 'text', body: `E${at} -[IS]-> N${at}: e${at} is n${at}.`, reference_time: '2025-01-01T00:00:00Z' }),
        ).join('\n'),
      },
      (beside) =>
        withVault({ '.rouxrc.json': '{"knowledge": {"maxItems": 5, "queue": 6}}' }, async (vault) => {
          const { status, stdout } = await cli(['ingest', 'many.jsonl', '--vault', vault.root, '--json'], { cwd: beside.root });
          expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, items: 12, episodes: 12, completed: 12, parked: [] });
          expect(JSON.parse(stdout).receipts).toHaveLength(3);
        }),
    ));
});

describe('roux facts and roux timeline', () => {
  it('S3-41 S3-43 what holds now, what held then, what was known then', () =>
    withTexts({ 'a.md': ACME, 'b.md': GLOBEX }, async (roux) => {
      await roux(['ingest', 'a.md']);
      const between = new Date().toISOString();
      await roux(['ingest', 'b.md']);
      const targets = async (...args: string[]): Promise<string[]> =>
        json(await roux(['facts', 'where does Alice work', '--json', ...args]))
          .facts.filter(({ name }: { name: string }) => name === 'WORKS_AT')
          .map(({ target_node_name: name, state }: { target_node_name: string; state: string }) => `${name} ${state}`);
      expect(await targets()).toEqual(['Globex holds']);
      expect(await targets('--as-of', '2024-06')).toEqual(['Acme holds']);
      expect(await targets('--known-at', between)).toEqual(['Acme holds']);
      expect(await targets('--known-at', '2020')).toEqual([]);
      expect((await targets('--all')).toSorted()).toEqual(['Acme superseded', 'Globex holds']);
      expect(await targets('--limit', '1')).toHaveLength(1);
      const { status, stdout } = await roux(['facts', 'where', 'does', 'Alice', 'work', '--all']);
      expect(status).toBe(0);
      expect(stdout).toContain(
        'Alice works at Acme since 2024-01-01.  (superseded)\n  Alice WORKS_AT Acme, 2024-01-01 to 2025-03-01, known ',
      );
      expect(await roux(['facts', 'nothing like it'])).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Nothing found\.$/m) });
      expect((await roux(['facts', 'Alice', '--as-of', 'yesterday'])).status).toBe(2);
    }));

  it('S3-04 without --group it is the only one there is; else the error lists them', () =>
    withTexts({ 'a.md': ACME }, async (roux) => {
      for (const args of [
        ['facts', 'Alice'],
        ['timeline', 'Alice'],
      ])
        expect((await roux(args)).status).toBe(1);
      await roux(['ingest', 'a.md', '--group', 'team']);
      expect(json(await roux(['facts', 'Alice', '--json'])).group_id).toBe('team');
      await roux(['ingest', 'a.md', '--group', 'other']);
      for (const args of [
        ['facts', 'Alice'],
        ['timeline', 'Alice'],
        ['ingest', 'a.md'],
      ]) {
        const { status, stderr } = await roux(args);
        expect({ args, status }).toEqual({ args, status: 2 });
        expect(stderr).toContain('Groups: other, team.');
      }
      expect(await roux(['facts', 'Alice', '--group', 'nobody'])).toMatchObject({ status: 1 });
      expect((await roux(['facts', 'Alice', '--group', '../team'])).status).toBe(2);
    }));

  it('X-32 S3-38 a timeline keeps what was superseded, and tells what somebody deleted in an editor or with a tool', () =>
    withTexts(
      { 'a.md': ACME, 'b.md': GLOBEX, 'c.md': 'Bob -[KNOWS]-> Alice: Bob knows Alice.\nAlice -[OWNS]-> Boat: Alice owns a boat.\n' },
      async (roux, vault) => {
        for (const file of ['a.md', 'b.md', 'c.md']) await roux(['ingest', file]);
        vault.write(ALICE, vault.read(ALICE).replace(/^.*LIKES.*\n/m, ''));
        const life = async (entity: string): Promise<string[]> =>
          json(await roux(['timeline', entity, '--json'])).facts.map((fact: Told) =>
            [fact.direction, fact.state, fact.name, ...(fact.deleted_by === undefined ? [] : [fact.deleted_by])].join(' '),
          );
        expect((await life('alice')).toSorted()).toEqual([
          'in holds KNOWS',
          'out deleted LIKES external',
          'out holds OWNS',
          'out holds WORKS_AT',
          'out superseded WORKS_AT',
        ]);
        expect((await life('Alice')).slice(0, 2)).toEqual(['out superseded WORKS_AT', 'out holds WORKS_AT']);
        expect(await life('Acme')).toEqual(['in superseded WORKS_AT']);
        const [boat] = json(await roux(['facts', 'boat', '--json'])).facts;
        await withServer(vault, (session) => ok(session, 'delete_entity_edge', { uuid: boat.uuid }), {
          flags: ['--toolsets', 'all'],
          clientName: 'gardener',
        });
        expect(await life('Alice')).toContain('out deleted OWNS gardener');
        const { stdout } = await roux(['timeline', 'Alice']);
        expect(stdout).toMatch(/^2024-01-01 to 2025-03-01 {2}superseded {2}Alice works at Acme since 2024-01-01\.$/m);
        expect(stdout).toMatch(/LIKES Tea, known since .*, deleted .* outside of roux, f-/);
        // Written again by hand: it is not missed any more.
        vault.write(
          ALICE,
          `${vault.read(ALICE).trimEnd()}\n- LIKES [[tea|Tea]]: Alice likes tea. ^${json(await roux(['timeline', 'Alice', '--json'])).facts.find((fact: Told) => fact.name === 'LIKES').uuid}\n`,
        );
        expect(await life('Alice')).toContain('out holds LIKES');
        expect(await life('Alice')).not.toContain('out deleted LIKES external');
        expect(await roux(['timeline', 'Nobody'])).toMatchObject({ status: 1 });
      },
    ));

  it('S3-51 roux stats counts what the notes hold', () =>
    withTexts({ 'a.md': ACME, 'b.md': GLOBEX }, async (roux) => {
      expect(json(await roux(['stats', '--json'])).knowledge).toMatchObject({ groups: 0, facts: { total: 0 } });
      await roux(['ingest', 'a.md']);
      await roux(['ingest', 'b.md']);
      expect(json(await roux(['stats', '--json'])).knowledge).toEqual({
        groups: 1,
        entities: 4,
        facts: { now: 2, expired: 1, total: 3 },
        episodes: { total: 2, states: { completed: 2 }, foreign: 0 },
      });
      expect((await roux(['stats'])).stdout).toMatch(/^facts +3 \(2 hold now, 1 expired\)$/m);
    }));
});

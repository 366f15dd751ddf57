import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { cliProcess } from '../../../support/program/cli.ts';
import { withMcp } from '../../../support/program/mcp-client.ts';
import type { McpProcess } from '../../../support/program/mcp-client.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { find } from '../kg.ts';

const preload = fileURLToPath(new URL('opened-notes.mjs', import.meta.url));
const ENTITIES = 20;
const EPISODES = 20;

/** A group of facts and sentences, older than the grain of time, so that no note needs a second look. */
function fill(vault: TestVault): void {
  for (let n = 0; n < ENTITIES; n += 1) {
    const facts = Array.from(
      { length: 20 },
      (_, at) => `- KNOWS [[person-${(n + at) % ENTITIES}]]: Statement ${n * 20 + at} of person ${n}.\n`,
    );
    write(vault, `knowledge/team/entities/person-${n}.md`, `---\nid: e_${n}\ntype: entity\n---\n\n## Relations\n\n${facts.join('')}`);
  }
  for (let n = 0; n < EPISODES; n += 1)
    write(
      vault,
      `knowledge/team/episodes/2026-01/episode-${n}.md`,
      `---\nid: ep-${n}\ntype: episode\nsource: message\nreference_time: 2026-01-${10 + n}\ningest:\n  state: completed\n  hash: h${n}\n  receipts: r\n---\n\n\`\`\`text\nAnn: Sentence ${n} is about roofs. It rained.\n\`\`\`\n`,
    );
}

function write(vault: TestVault, file: string, text: string): void {
  vault.write(file, text);
  const when = new Date(Date.now() - 60_000);
  utimesSync(vault.path(file), when, when);
}

/** Counts the notes that a run of the program opens. */
async function opened<T>(
  aside: TestVault,
  run: (env: Record<string, string>) => Promise<T>,
): Promise<{ readonly notes: readonly string[]; readonly result: T }> {
  const report = join(aside.root, 'opened');
  writeFileSync(report, '');
  const result = await run({ TEST_OPENED_NOTES: report });
  return {
    notes: readFileSync(report, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => basename(line)),
    result,
  };
}

const QUERIES = ['Statement 7 of person 0', 'roofs', 'rained after sentence 3'];

/** Runs a server until it has saved what it knows: until then the index of all notes is not complete, for which it opens each. */
const prepare = (vault: TestVault): Promise<unknown> =>
  withMcp(
    vault,
    async (session) => {
      const answers = await answersOf(session);
      await waitFor(() => ['search', 'knowledge'].every((name) => vault.exists(`.roux/cache/${name}`)));
      return answers;
    },
    { flags: ['--toolsets', 'knowledge'] },
  );

/** Searches through a server of its own. */
const search = (vault: TestVault, aside: TestVault): ReturnType<typeof opened<unknown>> =>
  opened(aside, (env) => withMcp(vault, answersOf, { preload, env, flags: ['--toolsets', 'knowledge'] }));

async function answersOf(session: McpProcess): Promise<unknown> {
  const answers: unknown[] = [];
  for (const query of QUERIES) answers.push(await find(session, 'team', query, { max_facts: 10 }));
  return answers;
}

/** Searches with the command. */
const facts = (vault: TestVault, aside: TestVault): ReturnType<typeof opened<string>> =>
  opened(aside, async (env) => {
    const args = ['facts', 'Statement 7 of person 0', '--group', 'team', '--vault', vault.root];
    const { status, stdout, stderr } = await cliProcess(args, { env: { ...env, NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` } });
    expect(status, stderr).toBe(0);
    return stdout;
  });

it('K-13 after a restart the first search opens no note of the knowledge graph, and answers the same', () =>
  withVault({}, (aside) =>
    withVault({}, async (vault) => {
      fill(vault);
      const answers = await prepare(vault);
      expect(await search(vault, aside)).toEqual({ notes: [], result: answers });
      expect((await facts(vault, aside)).notes).toEqual([]);
    }),
  ));

it('K-13 a command leaves what the next one starts with; an edited note is the only one that is opened', () =>
  withVault({}, (aside) =>
    withVault({}, async (vault) => {
      fill(vault);
      const cold = await facts(vault, aside);
      expect(cold.result).toMatch(/^Statement 7 of person 0\./);
      expect(await facts(vault, aside)).toEqual({ notes: [], result: cold.result });
      write(
        vault,
        'knowledge/team/entities/person-0.md',
        '---\nid: e_0\ntype: entity\n---\n\n## Relations\n\n- KNOWS [[person-7]]: Statement 7 of person 0 is new.\n',
      );
      const edited = await facts(vault, aside);
      expect(new Set(edited.notes)).toEqual(new Set(['person-0.md']));
      expect(edited.result).toMatch(/^Statement 7 of person 0 is new\./);
      rmSync(vault.path('.roux/cache/knowledge'));
      expect((await facts(vault, aside)).result).toBe(edited.result);
    }),
  ));

it('K-13 a vault that may only be read is searched with what was cached before, and nothing is written', () =>
  withVault({}, (aside) =>
    withVault({}, async (vault) => {
      fill(vault);
      const readOnly = (env: Record<string, string>): Promise<unknown> =>
        withMcp(vault, answersOf, { preload, env: { ...env, ROUX_READ_ONLY: '1' }, flags: ['--toolsets', 'knowledge'] });
      const cold = await opened(aside, readOnly);
      expect(new Set(cold.notes).size).toBe(ENTITIES + EPISODES);
      expect(vault.exists('.roux')).toBe(false);
      await prepare(vault);
      const before = readFileSync(vault.path('.roux/cache/knowledge'));
      expect(await opened(aside, readOnly)).toEqual({ notes: [], result: cold.result });
      expect(readFileSync(vault.path('.roux/cache/knowledge')).equals(before)).toBe(true);
    }),
  ));

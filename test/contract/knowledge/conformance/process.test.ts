import { describe, expect, it } from 'vitest';
import { openMcp } from '../../../support/program/mcp-client.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { ask, find, ingest, ok } from '../kg.ts';
import { sorted } from './doors.ts';
import { parseNote } from '../../../../src/note/parse.ts';
import { toNotePath } from '../../../../src/note/path.ts';
import { markOf } from '../../../../src/ops/knowledge/ingest/mark.ts';
import { readEpisodeNote } from '../../../../src/ops/knowledge/stored/episode-note.ts';
import { systemPorts } from '../../../../src/system/system-ports.ts';

const AT = '2026-01-01T00:00:00Z';
const FLAGS = ['--toolsets', 'all'];
const item = (body: string) => ({ source: 'text', body, reference_time: AT });

/** The note of an episode as it was while it waited: with the mark of this user, which one that is done has no more. */
function asAccepted(path: string, done: string): string {
  const waiting = done.replace('state: completed', 'state: accepted');
  const episode = readEpisodeNote(parseNote(toNotePath(path)!, waiting), { groupId: 'g', modifiedMs: 0 });
  const mark = markOf(systemPorts(), { ...episode, digest: episode.digest ?? '' });
  return waiting.replace('state: accepted', `state: accepted\n  mark: ${mark}`);
}

describe('conformance of the process', () => {
  it('S3-50 a line of JSON is logged for each operation, on stderr, without a word of what it was about', () =>
    withVault({}, async (vault) => {
      const session = await openMcp(vault, { flags: FLAGS, env: { ROUX_LOG: 'info' } });
      try {
        await ingest(session, 'g', [item('Alice -[HIDES]-> Treasure: Alice hides a treasure.')]);
        await ask(session, 'search_facts', { group_ids: ['g', 'h'], query: 'treasure' }, { request_id: 'r-7' });
        await ask(session, 'get_entity_edge', { uuid: 'f-none' });
        const lines = await waitFor(() => {
          const found = session
            .stderr()
            .split('\n')
            .flatMap((line) => /\{.*"request_id".*\}/.exec(line)?.[0] ?? []);
          return found.some((line) => line.includes('NOT_FOUND')) ? found.map((line) => JSON.parse(line)) : null;
        });
        expect(lines.find(({ request_id: id }) => id === 'r-7')).toEqual({
          request_id: 'r-7',
          op: 'kg_search_facts',
          group_id: 'g,h',
          status: 'OK',
          latency_ms: expect.any(Number),
          outcome: 'success',
        });
        expect(lines.find(({ op }) => op === 'kg_add_episodes')).toMatchObject({ group_id: 'g', status: 'ACCEPTED' });
        expect(lines.find(({ op }) => op === 'kg_get_entity_edge')).toMatchObject({
          status: 'ERROR',
          outcome: 'failure',
          error_code: 'NOT_FOUND',
        });
        expect(session.stderr()).not.toMatch(/treasure/i);
      } finally {
        await session.close();
      }
    }));

  it('S3-29 S3-31 a name means the entity of the group that has it, else a new one; with nothing that embeds, words find it', () =>
    withVault({}, async (vault) => {
      const session = await openMcp(vault, { flags: FLAGS });
      try {
        await ingest(session, 'g', [item('Alice -[LIKES]-> Tea: Alice likes tea.'), item(' ALICE  -[LIKES]-> Cake: She likes cake.')]);
        const facts = await find(session, 'g', 'likes');
        expect(sorted(facts.map(({ fact }) => fact))).toEqual(['Alice likes tea.', 'She likes cake.']);
        expect(new Set(facts.map(({ source_node_uuid: uuid }) => uuid)).size).toBe(1);
        await ingest(session, 'h', [item('Alice -[LIKES]-> Tea: Alice likes tea.')]);
        const [other] = await find(session, 'h', 'likes');
        expect(other.source_node_uuid).not.toBe(facts[0].source_node_uuid);
      } finally {
        await session.close();
      }
    }));

  it(
    'S3-08 health is degraded, with the reason, while accepted items cannot be worked on',
    () =>
      withVault(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at}.md`, `Note ${at}\n`])), async (vault) => {
        const session = await openMcp(vault, { flags: FLAGS });
        try {
          await ingest(session, 'g', [item('Alice -[LIKES]-> Tea: Alice likes tea.')]);
          expect(await ok(session, 'healthcheck', {})).toMatchObject({ status: 'healthy' });
          const [episode = ''] = vault.files().filter((file) => file.includes('/episodes/'));
          // More than half of the notes vanish at once: nothing is written until somebody says that it is meant.
          for (let at = 0; at < 40; at += 1) vault.remove(`n${at}.md`);
          await waitFor(async () => (await session.call('create_node', { title: 'x' })).isError);
          vault.write(episode, asAccepted(episode, vault.read(episode)));
          const health = await waitFor(async () => {
            const found = await ok(session, 'healthcheck', {});
            return found.status === 'degraded' ? found : null;
          });
          expect(health).toMatchObject({
            trouble: expect.stringMatching(/vanished|notes/),
            counts: { episodes: { states: { accepted: 1 } } },
          });
          for (let at = 0; at < 40; at += 1) vault.write(`n${at}.md`, `Note ${at}\n`);
          await waitFor(async () => (await ok(session, 'healthcheck', {})).status === 'healthy');
          await waitFor(() => vault.read(episode).includes('state: completed'));
        } finally {
          await session.close();
        }
      }),
    120_000,
  );
});

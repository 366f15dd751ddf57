import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { isLong, longSeconds, seed, untilLate } from '../support/effort.ts';
import { hasGit } from '../support/git.ts';
import { withMcp } from '../support/program/mcp-client.ts';
import type { TestVault } from '../support/vault.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import { agentAtWork } from './agents.ts';
import { answersOf, doctorFaults, findAnswerFaults, findDangling, findFaults, usageOf } from './checks.ts';
import { gitAtWork, openSharedRepository } from './git-work.ts';
import { project, things } from './graph-work.ts';
import { Ledger } from './ledger.ts';
import { personAtWork } from './person.ts';
import type { Random } from '../support/random.ts';
import { randomOf } from '../support/random.ts';
import { KilledServer } from './servers.ts';

const sharedNotes = ['Shared A', 'Shared B', 'Shared Ç', 'Shared 日本'];
const peopleNotes = ['Person A', 'Person B', 'Person C', 'Person D'];

const files: Readonly<Record<string, string>> = {
  '.rouxrc.json': '{"filenames": "title"}\n',
  'Hub.md': `${[...sharedNotes, ...peopleNotes].map((name) => `- [[${name}]]`).join('\n')}\n`,
  ...Object.fromEntries(sharedNotes.map((name) => [`shared/${name}.md`, `---\nrev: 1\n---\nOf all. [[Hub]]\n`])),
  ...Object.fromEntries(peopleNotes.map((name) => [`people/${name}.md`, `---\nauthor: "[[Hub]]" # me\n---\nMine. See [[Shared A]].\n`])),
  ...Object.fromEntries([1, 2, 3].map((n) => [`git/Branch ${n}.md`, `On main. [[Shared A]], [[Shared B#x|b]] and [[Person A]].\n`])),
};

/** Somebody who kills one of the servers every now and then. */
async function killerAtWork({ servers, random, ledger, isOver }: Killer): Promise<void> {
  while (!isOver()) {
    await setTimeout(isLong ? 500 + random.below(2_500) : 200 + random.below(400));
    if (isOver()) break;
    await random.pick(servers).kill();
    ledger.count('killed');
  }
}

/** Somebody who looks at the memory of a server every few seconds. */
async function memoryWatch(look: () => void, isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    if (turn % 50 === 0) look();
    await setTimeout(200);
  }
}

interface Killer {
  readonly servers: readonly KilledServer[];
  readonly random: Random;
  readonly ledger: Ledger;
  readonly isOver: () => boolean;
}

/** With so many, some are looked for in every part of the vault. */
const MIN_SAVES = 6;

/** When everybody goes home: after so much work, saves that can be looked for and two kills, and in a long run not before its time is over. */
function openDay(ledger: Ledger): () => boolean {
  const isLate = untilLate();
  const count = (name: string): number => ledger.counts.get(name) ?? 0;
  const work = (): number => [...ledger.counts.values()].reduce((sum, each) => sum + each, 0);
  return () => work() > 30 && ledger.saved.length > MIN_SAVES && count('killed') > 1 && isLate();
}

const leftovers = (vault: TestVault): readonly string[] => [...vault.list('.roux/journal'), ...vault.list('.roux/tmp')];

it(
  'F44 agents on three servers, a person, git and kill -9: nothing is lost, doubled or left over',
  { timeout: (longSeconds + 120) * 1000 },
  () =>
    withVault(files, async (vault) => {
      const ledger = new Ledger();
      const repository = hasGit ? openSharedRepository(vault) : null;
      const servers = ['ada', 'bob', 'cyd'].map((agent) => new KilledServer(vault.root, agent));
      const [first, ...others] = servers;
      if (first === undefined) throw new Error('no server');
      const { ask, pid } = await first.session();
      await ask('create_ontology', {
        node_types: ['thing', 'log'],
        connection_types: [{ name: 'near', from_types: ['thing'], to_types: ['thing'] }],
      });
      for (const title of things) await ask('create_node', { title, type: 'thing', directory: 'things' });
      await ask('graph_open', { project, goal: 'Everything stays' });
      const usageBefore = usageOf(pid, (folder) => readdirSync(folder));
      const isOver = openDay(ledger);
      const memory: number[] = [];

      const agents = servers.flatMap((server, index) =>
        [1, 2].map((n) => agentAtWork({ server, ledger, random: randomOf(`agent ${index}.${n}`), sharedNotes, peopleNotes, isOver })),
      );
      const ended = await Promise.allSettled([
        ...agents,
        personAtWork({ root: vault.root, notes: peopleNotes, ledger, random: randomOf('person'), isOver }),
        killerAtWork({ servers: others, random: randomOf('killer'), ledger, isOver }),
        memoryWatch(() => memory.push(usageOf(pid, () => []).megabytes), isOver),
        ...(repository === null ? [] : [gitAtWork({ repository, random: randomOf('git'), ledger, isOver })]),
      ]);

      for (const each of ended) if (each.status === 'rejected') ledger.faults.push(String(each.reason));

      try {
        // Displaced files get their second look two seconds after a write.
        await setTimeout(2_500);
        await withMcp(
          vault,
          async (fresh) => {
            for (const server of servers) {
              const session = await server.session();
              await waitFor(async () => {
                expect(await answersOf(session), `${server.agent} answers as a fresh server does`).toEqual(await answersOf(fresh));
                return true;
              });
            }
            // Softly: what follows is looked at too.
            expect.soft([...findFaults(vault, ledger), ...(await findAnswerFaults(fresh, ledger))]).toEqual([]);
          },
          { flags: ['--toolsets', 'all'] },
        );
        await waitFor(() => leftovers(vault).length === 0, { what: 'an empty journal' });
        expect(ledger.saved.length, JSON.stringify([...ledger.counts])).toBeGreaterThan(MIN_SAVES);

        const usage = usageOf(pid, (folder) => readdirSync(folder));
        // Where the system does not tell, both are zero.
        expect(usage.descriptors).toBeLessThan(usageBefore.descriptors + 40);
        expect(usage.megabytes).toBeLessThan(usageBefore.megabytes + 250);
        // It may fill its heap at first; from then on it has to stay about where it is.
        const [early, late] = [memory.slice(0, memory.length / 2), memory.slice(memory.length / 2)].map((part) => Math.max(0, ...part));
        // In a short run it is still growing.
        expect(longSeconds < 300 ? 0 : late, `megabytes: ${memory.join(' ')}`).toBeLessThanOrEqual((early ?? 0) * 1.25);
        if (isLong) {
          const counts = Object.fromEntries([...ledger.counts].sort(([a], [b]) => (a < b ? -1 : 1)));
          console.log(JSON.stringify({ seed, seconds: longSeconds, usageBefore, usage, memory, ...counts }));
        }
      } finally {
        await Promise.all(servers.map((server) => server.close()));
        repository?.dispose();
      }
      expect(leftovers(vault)).toEqual([]);

      // A link that was written by the former title of a note, after its rename, is told apart from one to a deleted note.
      const doctor = await cli(['doctor', vault.root, '--fix']);
      expect(doctor.stderr).not.toContain('roux doctor:');
      expect(await withMcp(vault, (fresh) => findDangling(fresh, ledger))).toEqual([]);
      const { findings } = JSON.parse((await cli(['doctor', vault.root, '--json'])).stdout) as {
        findings: Parameters<typeof doctorFaults>[0];
      };
      expect(doctorFaults(findings)).toEqual([]);
      if (isLong) console.log(JSON.stringify(findings.filter(({ kind }) => kind !== 'unresolved-link').map(({ message }) => message)));
    }),
);

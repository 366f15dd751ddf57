import { describe, expect, it } from 'vitest';
import { ClaimWatch } from '../../../src/ops/tasks/sessions/watch-claims.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { openReady } from '../../support/open.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';

const task = (summary: string, session: string | null, rest = ''): string =>
  `---\ntype: task\nsummary: ${summary}\nresolved: false\n${rest}${session === null ? '' : `properties:\n  _claimed_by: ada\n  _claimed_at: 2026-03-01T12:00:00Z\n  _claimed_session: ${session}\n`}---\n`;

/** Two hundred tasks, of which three are held by two sessions; one that is done still names its holder. */
const notes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`projects/shed/t${at}.md`, task(`T ${at}`, null)])),
  'projects/shed/a.md': task('A', 'one'),
  'projects/shed/b.md': task('B', 'one'),
  'projects/shed/c.md': task('C', 'two'),
  'projects/shed/done.md': task('D', 'gone').replace('resolved: false', 'resolved: true'),
};

describe('a process whose clients use no task tools', () => {
  it('T-02 asks at rest once for each session that holds tasks, reads no note again, and notices the first that has ended', () =>
    withVault(notes, async ({ root }) => {
      const asked: string[] = [];
      const ended = new Set(['gone']);
      const clock = { now: 0 };
      const liveness = (name: string) => (asked.push(name), ended.has(name) ? ('dead' as const) : ('alive' as const));
      const opened = await openReady(root, {
        ports: { ...testPorts(), process: { name: 'self', liveness }, clock: { now: () => clock.now } },
      });
      let [lists, places] = [0, 0];
      const graph: Pick<Vault['graph'], 'version' | 'entries'> = {
        get version() {
          return opened.graph.version;
        },
        entries: (query) => ((lists += 1), opened.graph.entries(query)),
      };
      let found = 0;
      const { ports, settings } = opened;
      const watch = new ClaimWatch(
        { ports, settings, graph, derived: (make: (vault: Vault) => unknown) => ((places += 1), opened.derived(make)) } as Vault,
        () => void (found += 1),
      );
      try {
        for (let look = 0; look < 10; look += 1) {
          clock.now += 2_000;
          watch.look();
        }
        expect({ lists, places, asked: asked.length, sessions: new Set(asked), found }).toEqual({
          lists: 1,
          places: 3,
          asked: 22,
          sessions: new Set(['one', 'two']),
          found: 0,
        });
        ended.add('one');
        clock.now += 2_000;
        watch.look();
        expect(found).toBe(1);
      } finally {
        watch.close();
        await opened.close();
      }
    }));
});

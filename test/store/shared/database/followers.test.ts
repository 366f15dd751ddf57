import { describe, expect, it } from 'vitest';
import { createFollowing, listFollowers } from '../../../../src/store/shared/database/followers.ts';
import type { Followers } from '../../../../src/store/shared/shared-vault.ts';
import { testPorts } from '../../../support/test-ports.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { lost, scriptedConnection, sessionOn, VAULT } from './scripted-session.ts';
import type { ScriptedConnection } from './scripted-session.ts';

interface Scene {
  readonly following: Pick<Followers, 'follow' | 'reportCheckpoint'>;
  readonly made: ScriptedConnection[];
  /** The names under which connections were opened, with the time. */
  readonly opened: string[];
  readonly news: (number | null)[];
  readonly log: string[];
  /** What was asked of the newest connection, with the time, since the last question. */
  readonly take: () => readonly string[];
  readonly pause: (ms: number) => Promise<void>;
  readonly stop: AbortController;
  readonly state: { isStandby: boolean; isAway: boolean; isDeaf: boolean; whileOpening: () => void };
}

/** Follows a vault in simulated time; begins with `follow`. */
const withFollowing = (run: (scene: Scene) => Promise<void>, machine = 'laptop'): Promise<void> =>
  inSimulatedTime(async (time) => {
    const [made, opened, log, news]: [ScriptedConnection[], string[], string[], (number | null)[]] = [[], [], [], []];
    const state = { isStandby: false, isAway: false, isDeaf: false, whileOpening: (): void => undefined };
    const asked: string[] = [];
    const stop = new AbortController();
    const following = createFollowing({
      vault: VAULT,
      machine,
      random: () => 0.5,
      log: testPorts(log).log,
      async open(name) {
        opened.push(`${performance.now()} ${name}`);
        if (state.isAway) throw lost();
        state.whileOpening();
        const connection = scriptedConnection(({ text, values, timeoutMs }) => {
          if (state.isDeaf) throw lost();
          asked.push(
            [performance.now(), /^\w+(?: roux_7)?/.exec(text)?.[0], ...values, ...(timeoutMs === undefined ? [] : [timeoutMs])].join(' '),
          );
          return [];
        });
        made.push(connection);
        return sessionOn(connection, { isStandby: state.isStandby });
      },
    });
    // The fake does not tell the options of a pause from one another: what is due now is done first.
    const settle = async (ms: number): Promise<void> => {
      await time.pause(ms);
      for (let turn = 0; turn < 3; turn += 1) await time.pause(0);
    };
    await run({ following, made, opened, news, log, stop, state, pause: settle, take: () => asked.splice(0) });
    stop.abort();
  });

describe('following a vault', () => {
  it('listens under a name that says who and where, and tells what is heard', () =>
    withFollowing(async ({ following, made, opened, news, take, pause, stop }) => {
      following.follow((seq) => void news.push(seq), stop.signal);
      await pause(0);
      expect([opened, take(), news]).toEqual([['0 roux 7 @- laptop'], ['0 LISTEN roux_7'], [null]]);
      for (const payload of ['12', '', 'x1', '1x']) made[0]?.notify(payload);
      expect(news).toEqual([null, 12, null, null, null]);
    }));

  it('tries the connection every fifteen seconds', () =>
    withFollowing(async ({ following, news, take, pause, stop }) => {
      following.follow((seq) => void news.push(seq), stop.signal);
      await pause(14_999);
      expect(take()).toEqual(['0 LISTEN roux_7']);
      await pause(30_000);
      expect(take()).toEqual(['15000 SELECT roux 7 @- laptop 15000', '30000 SELECT roux 7 @- laptop 15000']);
      expect(news).toEqual([null]);
    }));

  it('of a server that follows another one nothing is heard: there may be news every fifteen seconds', () =>
    withFollowing(async ({ following, news, take, pause, stop, state }) => {
      state.isStandby = true;
      following.follow((seq) => void news.push(seq), stop.signal);
      await pause(0);
      expect([news, take()]).toEqual([[null], []]);
      await pause(15_000);
      expect([news, take()]).toEqual([[null, null], ['15000 SELECT roux 7 @- laptop 15000']]);
    }));

  it('says where it stands at once, and then once a second', () =>
    withFollowing(async ({ following, take, pause, stop }) => {
      following.follow(() => undefined, stop.signal);
      await pause(100);
      take();
      following.reportCheckpoint(1);
      following.reportCheckpoint(2);
      await pause(0);
      expect(take()).toEqual(['100 SELECT roux 7 @1 laptop 15000']);
      following.reportCheckpoint(3);
      await pause(999);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['1100 SELECT roux 7 @3 laptop 15000']);
      await pause(5_000);
      expect(take()).toEqual([]);
      following.reportCheckpoint(4);
      await pause(0);
      expect(take()).toEqual(['6100 SELECT roux 7 @4 laptop 15000']);
    }));

  it('what its name says already is not said again', () =>
    withFollowing(async ({ following, opened, take, pause, stop, state }) => {
      following.reportCheckpoint(5);
      following.follow(() => undefined, stop.signal);
      await pause(0);
      expect([opened, take()]).toEqual([['0 roux 7 @5 laptop'], ['0 LISTEN roux_7']]);
      following.reportCheckpoint(5);
      await pause(2_000);
      expect(take()).toEqual([]);
      // Further by the time that it is connected.
      stop.abort();
      await pause(0);
      state.whileOpening = () => following.reportCheckpoint(6);
      following.follow(() => undefined, new AbortController().signal);
      await pause(0);
      expect(take()).toEqual(['2000 LISTEN roux_7', '2000 SELECT roux 7 @6 laptop 15000']);
    }));

  it('a connection that is lost is let go, and replaced after a pause that grows; the log has it once', () =>
    withFollowing(async ({ following, made, opened, news, log, take, pause, stop, state }) => {
      following.follow((seq) => void news.push(seq), stop.signal);
      await pause(100);
      state.isAway = true;
      made[0]?.lose();
      following.reportCheckpoint(9);
      await pause(3_000);
      expect(opened.map((each) => each.split(' ')[0])).toEqual(['0', '250', '550', '1150', '2350']);
      expect(opened.at(-1)).toBe('2350 roux 7 @9 laptop');
      expect([log.length, made[0]?.ends]).toEqual([0, ['destroyed']]);
      state.isAway = false;
      take();
      await pause(2_000);
      expect(take()).toEqual(['4750 LISTEN roux_7']);
      expect(news).toEqual([null, null]);
      made[1]?.notify('3');
      expect(news).toEqual([null, null, 3]);
    }));

  it('the log says so when the first try fails, and again after it went well for a while', () =>
    withFollowing(async ({ following, made, opened, log, pause, stop, state }) => {
      state.isAway = true;
      following.follow(() => undefined, stop.signal);
      await pause(1_000);
      expect(log).toEqual(['No notices of what other machines write for now: the connection was lost']);
      state.isAway = false;
      await pause(2_000);
      expect(made).toHaveLength(1);
      await pause(15_000);
      const since = opened.length;
      state.isAway = true;
      made[0]?.lose();
      await pause(16_000);
      // As after the first failure: it begins with the shortest pauses.
      const times = opened.slice(since).map((each) => Number(each.split(' ')[0]));
      expect(times.slice(1, 4).map((time, index) => time - times[index]!)).toEqual([300, 600, 1200]);
      expect(log).toHaveLength(1);
    }));

  it('one that is lost again and again is replaced later and later', () =>
    withFollowing(async ({ following, opened, pause, stop, state }) => {
      state.isDeaf = true;
      following.follow(() => undefined, stop.signal);
      await pause(4_000);
      expect(opened.map((each) => Number(each.split(' ')[0]))).toEqual([0, 150, 450, 1050, 2250]);
    }));

  it('one that answers no more is given up', () =>
    withFollowing(async ({ following, made, opened, log, pause, stop }) => {
      following.follow(() => undefined, stop.signal);
      await pause(10);
      const [connection] = made;
      connection!.query = () => Promise.reject(lost());
      // Where it stands is no reason to.
      following.reportCheckpoint(4);
      await pause(100);
      expect([opened.length, connection?.ends]).toEqual([1, []]);
      await pause(15_100);
      expect([opened.length, connection?.ends, log.length]).toEqual([2, ['destroyed'], 1]);
    }));

  it('ends with the signal: nothing is asked, opened or logged any more', () =>
    withFollowing(async ({ following, made, opened, log, take, pause, stop }) => {
      following.follow(() => undefined, stop.signal);
      await pause(0);
      following.reportCheckpoint(1);
      following.reportCheckpoint(2);
      await pause(0);
      take();
      stop.abort();
      await pause(0);
      following.reportCheckpoint(3);
      await pause(60_000);
      expect([made[0]?.ends, take(), opened.length, log]).toEqual([['destroyed'], [], 1, []]);
    }));

  it('ends with the signal while the store is away', () =>
    withFollowing(async ({ following, opened, log, pause, stop, state }) => {
      state.isAway = true;
      following.follow(() => undefined, stop.signal);
      await pause(10);
      stop.abort();
      await pause(60_000);
      expect([opened.length, log.length]).toEqual([1, 1]);
      const before = AbortSignal.abort();
      following.follow(() => undefined, before);
      await pause(0);
      expect(opened).toHaveLength(1);
    }));
});

describe('the name of a connection', () => {
  const nameOf = async (machine: string, seq: number | null = null): Promise<string> => {
    let name = '';
    await withFollowing(async ({ following, opened, pause, stop }) => {
      if (seq !== null) following.reportCheckpoint(seq);
      following.follow(() => undefined, stop.signal);
      await pause(0);
      name = opened[0]!.slice(2);
    }, machine);
    return name;
  };

  it('is ASCII, and has as many whole characters of the machine’s name as fit into 63', async () => {
    expect(await nameOf('My.laptop_1:a+b-c')).toBe('roux 7 @- My.laptop_1:a+b-c');
    expect(await nameOf('Änne 1')).toBe('roux 7 @- %C3%84nne%201');
    expect(await nameOf('half \ud83d')).toBe('roux 7 @- half%20%3F');
    expect(await nameOf('a'.repeat(70), 12)).toBe(`roux 7 @12 ${'a'.repeat(52)}`);
    expect(await nameOf('a'.repeat(52), 12)).toHaveLength(63);
    expect(await nameOf(`${'a'.repeat(47)}Äb`, 12)).toBe(`roux 7 @12 ${'a'.repeat(47)}`);
    expect(await nameOf(`${'a'.repeat(46)}Äb`, 12)).toBe(`roux 7 @12 ${'a'.repeat(46)}%C3%84`);
  });

  it('says which machines follow, and where they stand', async () => {
    const names = [
      'roux 7 @- laptop',
      'roux 7 @12 %C3%84nne%201',
      'roux 7 @3 half%C3',
      'roux 7 @x other',
      'roux 7 @4 ',
      'psql roux 7 @1 x',
    ];
    const connection = scriptedConnection(() => names.map((name) => ({ name })));
    expect(await listFollowers(connection, VAULT)).toEqual([
      { machine: 'laptop', seq: null },
      { machine: 'Änne 1', seq: 12 },
      { machine: 'half%C3', seq: 3 },
      { machine: '', seq: 4 },
    ]);
    expect(connection.asked[0]?.values).toEqual(['roux 7 @']);
  });
});

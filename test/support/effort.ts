/** What everything that is left to chance in a run comes from: the same in every run unless `ROUX_SEED` names another. */
export const seed: number = Number(process.env['ROUX_SEED'] ?? 20_260_105);

/** How long a test of `npm run test:long` goes on that has no last round. */
export const longSeconds: number = Number(process.env['ROUX_LONG_SECONDS'] ?? 0);

/** Whether this is `npm run test:long`, which tries every case where `npm test` tries a sample. */
export const isLong: boolean = longSeconds > 0;

/** So many rounds, no more and no fewer, of each test that has no last one: `npm run test:long -- --rounds 200`. */
const fixedRounds: number = Number(process.env['ROUX_ROUNDS'] ?? 0);

/** How many cases a property test tries, of so many that it is worth: half of them where they are the same in every run. */
export function runs(count: number): number {
  return isLong ? count * 10 : Math.ceil(count / 2);
}

/** One of every so many cases, in their order and from a seeded place on, another for each `turn`. In a long run all of them. */
export function sample<T>(cases: readonly T[], every: number, turn = 0): readonly T[] {
  return isLong ? cases : cases.filter((_, index) => (index + seed + turn) % every === 0);
}

/** The whole numbers from 0 up to, but not including, an end: places to go through, or to take a sample of. */
export function upTo(end: number): readonly number[] {
  return Array.from({ length: end }, (_, index) => index);
}

/** The one of some cases whose turn it is at a place, where each place has one. In a long run all of them. */
export function turnAt<T>(place: number, cases: readonly T[]): readonly T[] {
  return isLong ? cases : cases.filter((_, index) => (index + place + seed) % cases.length === 0);
}

/** Tells when the time of a test without an end is over: at once, unless the run is long. */
export function untilLate(among = 1): () => boolean {
  const end = performance.now() + (longSeconds * 1000) / among;
  return () => performance.now() >= end;
}

/** The numbers of rounds that have no last one: so many, or in a long run as many as its time allows, which it tells. Tests made in a loop share that time among so many. */
export function* rounds(count: number, among = 1): Generator<number> {
  const isLate = untilLate(among);
  let round = 0;
  const isNext = (): boolean => (fixedRounds > 0 ? round < fixedRounds : isLong ? !isLate() : round < count);
  for (; isNext(); round++) yield round;
  if (isLong) console.log(`${round} rounds`);
}

/** CPU time of this process so far, in milliseconds: what others keep the machine busy with does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

import { expect, it } from 'vitest';
import { rounds } from '../../support/effort.ts';
import { killIngestion } from './ingestion-rounds.ts';

it('S3-24 S3-25 F03 ingestion killed at random moments: nothing acknowledged is lost, nothing is there twice, every item ends completed or parked, and its receipt tells', async () => {
  const report = await killIngestion(rounds(4), ({ rounds: count, ...told }) => {
    if (count % 24 === 0) console.log(JSON.stringify({ rounds: count, ...told }));
  });
  expect(report.faults).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(0);
  expect(report.completed).toBeGreaterThan(0);
});

import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHAIN_START, readMark } from '../../../src/store/records/line-chain.ts';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const segmentOf = (vault: TestVault): string =>
  `.roux/history/${vault.list('.roux/history').find((name) => name.endsWith('.jsonl')) ?? 'none'}`;
const linesOf = (vault: TestVault): readonly string[] => vault.read(segmentOf(vault)).split('\n').slice(0, -1);

async function append(vault: TestVault, line: string): Promise<string> {
  const { status, stderr } = await cli(['append', 'a', line, '--vault', vault.root]);
  expect(status, stderr).toBe(0);
  return stderr;
}

function expectChain(lines: readonly string[]): void {
  let before = CHAIN_START;
  for (const line of lines) {
    const mark = readMark(line);
    expect([mark.before, mark.isIntact]).toEqual([before, true]);
    before = mark.sum;
  }
}

it('H-20 a last line of the history that is half written is cut off by the next write, which says so, and nothing else is lost', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    await append(vault, 'one');
    await append(vault, 'two');
    appendFileSync(vault.path(segmentOf(vault)), '{"seq":3,"timestamp":"2026-');
    expect(await append(vault, 'three')).toMatch(/last line of \.roux\/history\/.*incomplete.*27 bytes/);
    expect(await append(vault, 'four')).not.toContain('incomplete');
    const lines = linesOf(vault);
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3, 4]);
    expectChain(lines);
    const history = await cli(['history', 'a', '--json', '--vault', vault.root]);
    expect(history.stdout).not.toContain('chain');
  }));

it('H-20 a last line that only lacks its end, as an editor leaves it, is kept and counted on from', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    await append(vault, 'one');
    await append(vault, 'two');
    vault.write(segmentOf(vault), vault.read(segmentOf(vault)).trimEnd());
    expect(await append(vault, 'three')).toContain('had no end');
    const lines = linesOf(vault);
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3]);
    expectChain(lines);
  }));

it('H-21 lines from before there was a chain are gone on from', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    await append(vault, 'one');
    await append(vault, 'two');
    const old = linesOf(vault).map((line) => line.replace(/,"chain":"[^"]*"/, ''));
    vault.write(segmentOf(vault), `${old.join('\n')}\n`);
    await append(vault, 'three');
    const lines = linesOf(vault);
    expect(lines.slice(0, 2)).toEqual(old);
    expect(readMark(lines[2]!)).toMatchObject({ before: readMark(lines[1]!).sum, isIntact: true });
  }));

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong, rounds } from '../support/effort.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import { countIn, countingNotes, faultsAt, killRounds, writingProcess } from './rounds.ts';
import { notePath } from './scenarios.ts';

const meta = { operation: 'test', agent: 'ada' };

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function start(root: string, ...task: readonly string[]): Running {
  const child = spawn(process.execPath, [writingProcess, root, ...task], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  return { child, output: () => output, ended: new Promise((resolve) => child.on('close', (code) => resolve(code))) };
}

function journalOf(root: string): readonly string[] {
  return [...readdirSync(join(root, '.roux/journal')), ...readdirSync(join(root, '.roux/tmp'))];
}

describe('several processes on one vault', () => {
  for (const count of isLong ? [2, 4] : [3]) {
    const writes = isLong ? 100 : 8;
    it(`F13 ${count} processes with ${writes} writes each to one note and to notes of their own: every acknowledged one is there once`, async () => {
      const names = Array.from({ length: count }, (_, index) => `p${index}`);
      const notes = Object.fromEntries(names.map((name) => [`${name}.md`, `${name}\n`]));
      await withVault({ 'shared.md': '---\nrev: 1\n---\nShared\n', ...notes }, async (vault) => {
        const { root } = vault;
        const running = names.map((name) => start(root, 'append', name, String(writes)));
        expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(names.map(() => 0));
        const acknowledged = running.flatMap(({ output }) => [...output().matchAll(/^done (.+)$/gm)].map(([, line]) => line ?? ''));
        const lines = [...vault.read('shared.md').matchAll(/^- (.+)$/gm)].map(([, line]) => line ?? '');
        expect(acknowledged).toHaveLength(count * writes);
        expect(new Set(lines)).toEqual(new Set(acknowledged));
        expect(lines).toHaveLength(acknowledged.length);
        expect(vault.read('shared.md')).toContain(`rev: ${1 + count * writes}\n`);
        for (const name of names) expect(vault.read(`${name}.md`).match(/t\d+/g)).toHaveLength(writes);
        const seqs = readdirSync(join(root, '.roux/history'))
          .filter((name) => name.endsWith('.jsonl'))
          .flatMap((name) => readFileSync(join(root, '.roux/history', name), 'utf8').split('\n'))
          .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { seq: number }).seq]));
        expect(seqs).toEqual(Array.from({ length: 2 * count * writes }, (_, index) => index + 1));
        expect(journalOf(root)).toEqual([]);
      });
    });
  }

  it('F15 simultaneous creates of one name and of twins by case and Unicode form: one of each wins', async () => {
    await withVault({}, async (vault) => {
      const { root } = vault;
      const names = [...Array.from({ length: 10 }, (_, index) => `note${index}.md`), 'Café.md', 'TEA.md'];
      const twins = [...Array.from({ length: 10 }, (_, index) => `Note${index}.md`), 'Cafe\u0301.md', 'tea.md'];
      const running = [names, twins, names].map((list) => start(root, 'create', ...list));
      await Promise.all(running.map(({ ended }) => ended));
      const answers = running.flatMap(({ output }) => output().split('\n'));
      expect(answers.filter((line) => line.startsWith('done'))).toHaveLength(12);
      expect(answers.filter((line) => line === 'refused NODE_EXISTS')).toHaveLength(24);
      expect(vault.files()).toHaveLength(12);
    });
  });

  it('F17 a killed holder is taken over; a stopped one is waited for, and its write is not lost when it goes on', async () => {
    await withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      const { root } = vault;
      const killed = start(root, 'hold');
      await waitFor(() => killed.output().includes('holding'));
      killed.child.kill('SIGKILL');
      await killed.ended;
      const writer = openTestWriter({ root });
      const line = (text: string) => () => ({
        files: [
          {
            kind: 'change' as const,
            path: notePath('shared.md'),
            changes: [{ op: 'add-line' as const, section: 'Observations', line: text }],
          },
        ],
      });
      await writer.write(meta, line('after the kill'));

      const stopped = start(root, 'hold');
      await waitFor(() => stopped.output().includes('holding'));
      stopped.child.kill('SIGSTOP');
      const waiting = writer.write(meta, line('after the stop'));
      const early = await Promise.race([waiting.then(() => 'written'), new Promise((resolve) => setTimeout(() => resolve('waits'), 300))]);
      expect(early).toBe('waits');
      stopped.child.kill('SIGCONT');
      stopped.child.stdin?.write('go\n');
      await Promise.all([waiting, stopped.ended]);
      expect([...vault.read('shared.md').matchAll(/^- (.+)$/gm)].map(([, text]) => text)).toEqual([
        'after the kill',
        'held',
        'after the stop',
      ]);
      await writer.close();
    });
  });

  it('F18 a request repeated with its idempotency key after a kill has one effect and the first result', async () => {
    await withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      const { root } = vault;
      const first = start(root, 'keyed', 'k1', 'hang');
      await waitFor(() => first.output().includes('done'));
      first.child.kill('SIGKILL');
      await first.ended;
      const again = start(root, 'keyed', 'k1');
      await again.ended;
      expect(again.output()).toContain(`done {"by":${first.child.pid}} true`);
      expect(vault.read('shared.md').match(/- keyed/g)).toHaveLength(1);
      const writer = openTestWriter({ root });
      await expect(writer.write({ ...meta, idempotencyKey: 'k1', payloadHash: 'another' }, () => ({ files: [] }))).rejects.toMatchObject({
        code: 'IDEMPOTENCY_MISMATCH',
      });
    });
  });

  it('F12 SIGTERM in the middle of writing: the write ends, the process exits, nothing is left over', async () => {
    await withVault(countingNotes, async (vault) => {
      const { root } = vault;
      const running = start(root, 'until-signal', '1');
      await waitFor(() => running.output().includes('done 5'));
      running.child.kill('SIGTERM');
      expect(await running.ended).toBe(0);
      const last = Number([...running.output().matchAll(/^done (\d+)$/gm)].at(-1)?.[1]);
      expect(faultsAt(root, { reached: countIn(root, 'a.md'), atLeast: last })).toEqual([]);
      expect(countIn(root, 'a.md')).toBe(last);
    });
  });

  it('F01 F02 killed at random moments, round after round: nothing acknowledged is lost, nothing is half done', async () => {
    const report = await killRounds(rounds(2));
    expect(report.faults).toEqual([]);
    expect(report.writes).toBeGreaterThan(0);
  });
});

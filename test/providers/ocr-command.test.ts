import { chmodSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createImageReader } from '../../src/providers/ocr-command.ts';
import { withOutside } from '../support/outside.ts';
import type { Outside } from '../support/outside.ts';
import { openTestVault } from '../support/vault.ts';

afterEach(() => vi.unstubAllEnvs());

/** Puts a program on the PATH. */
function install(outside: Pick<Outside, 'root'>, script: string): void {
  const folder = openTestVault(outside.root);
  folder.write('see', `#!/bin/sh\n${script}\n`);
  chmodSync(folder.path('see'), 0o755);
  vi.stubEnv('PATH', [outside.root, process.env['PATH']].join(delimiter));
}

const picture = Buffer.from('granite on a sign');
const read = (vault: string, command: readonly string[]): Promise<string> =>
  createImageReader(command, { vault })(picture, 'png', new AbortController().signal);
const leftBehind = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('roux-picture-'));

it('R-09 runs the command on a copy of the picture, without a shell, and takes what it prints', () =>
  withOutside({}, async (vault, outside) => {
    install(outside, 'echo "$2" "$3"; cat "$1"; case "$1" in *.png) ;; *) exit 1 ;; esac');
    const before = leftBehind();
    expect(await read(vault.root, ['see', '{file}', '-', '$HOME; touch x'])).toBe('- $HOME; touch x\ngranite on a sign');
    expect(leftBehind()).toEqual(before);
    expect(vault.files()).toEqual([]);
  }));

it('R-09 refuses a program in the vault, one that fails, and one that prints without an end', () =>
  withOutside({}, async (vault, outside) => {
    install(vault, 'echo mine');
    await expect(read(vault.root, ['see', '{file}'])).rejects.toThrow('nowhere outside of the vault');
    install(outside, 'exit 3');
    await expect(read(vault.root, ['see', '{file}'])).rejects.toThrow('Command failed');
    install(outside, 'while :; do echo more and more and more; done');
    await expect(read(vault.root, ['see', '{file}'])).rejects.toThrow('maxBuffer');
  }));

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCommands } from '../../../src/faces/cli/command-list.ts';
import { signature } from '../../../src/faces/cli/help.ts';
import { optionHelp } from '../../../src/faces/cli/options.ts';
import { isInstalled } from '../../support/program/terminal.ts';
import { repositoryRoot } from '../../support/vault.ts';

const file = join(repositoryRoot, 'man/roux.1');

describe('issue 11.8: the man page', () => {
  it('holds nothing that roff would read as a request, and only ASCII', () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const requests = new Set(lines.flatMap((line) => /^[.'](\S*)/.exec(line)?.[1] ?? []));
    expect([...requests].toSorted()).toEqual(['B', 'BI', 'I', 'PP', 'RE', 'RI', 'RS', 'SH', 'SS', 'TH', 'TP', 'fi', 'nf']);
    expect(lines.filter((line) => /[^ -~]/.test(line))).toEqual([]);
    // No escape that is not one of ours.
    expect(lines.flatMap((line) => line.match(/\\(?!-|&|\((?:rs|dq|aq|ga|ha|ti)|\[u[0-9A-F]{4,6}\])./g) ?? [])).toEqual([]);
  });

  it.skipIf(!isInstalled('groff'))('renders every command, option and sign as the help has it', async () => {
    const { stdout: text, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-cbu', '-rLL=2000n', file], { encoding: 'utf8' });
    expect(stderr).toBe('');
    for (const command of await listCommands()) {
      const { summary, details = [], options = {} } = command;
      expect(text).toContain(`roux ${signature(command)}`);
      for (const line of [summary, ...details, ...Object.values(options).map(optionHelp)])
        expect(text.replace(/\s+/g, ' ')).toContain(line.trim().replace(/\s+/g, ' '));
    }
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../support/vault.ts';

it('its thread loads what it reports with only when there is something to report: every process starts one', () => {
  const source = readFileSync(join(repositoryRoot, 'src/watchdog/watchdog-worker.ts'), 'utf8');
  const loaded = [...source.matchAll(/^import (?!type )[^;]* from '(\.[^']+)';/gm)].map(([, name]) => name);
  expect(loaded).toEqual(['./at-work.ts', '../is-record.ts', './silence.ts', './times.ts']);
});

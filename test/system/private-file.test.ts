import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replacePrivateFile } from '../../src/system/private-file.ts';

it('O-01 a private file that cannot be replaced leaves no draft behind, which would hold what it holds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roux-private-'));
  try {
    mkdirSync(join(folder, 'taken', 'by a folder'), { recursive: true });
    expect(() => replacePrivateFile(folder, 'taken', 'text')).toThrow(/EISDIR|EEXIST|ENOTEMPTY|EPERM/);
    expect(readdirSync(folder)).toEqual(['taken']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

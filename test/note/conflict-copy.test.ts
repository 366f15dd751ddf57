import { describe, expect, it } from 'vitest';
import { isConflictCopy, readConflictName } from '../../src/note/conflict-copy.ts';
import { cpuMs } from '../support/effort.ts';

/** Names as services give them, each with the note that it is a copy of. */
const CERTAIN: readonly (readonly [name: string, original: string, service: string])[] = [
  ['a.sync-conflict-20260105-101500.md', 'a.md', 'Syncthing'],
  ['b/a.sync-conflict-20260105-101500-ABC1234.md', 'b/a.md', 'Syncthing'],
  ["a (Ada's conflicted copy 2026-01-01).md", 'a.md', 'Dropbox'],
  ['b/Größe (Ada’s conflicted copy 2026-01-01).md', 'b/Größe.md', 'Dropbox'],
  ['a (In Konflikt stehende Kopie von ADA-PC 2026-01-01).md', 'a.md', 'Dropbox'],
  ['a (Adas in Konflikt stehende Kopie 2026-01-01).md', 'a.md', 'Dropbox'],
  ['a (Copie en conflit de ADA-PC 2026-01-01).md', 'a.md', 'Dropbox'],
  ['a (Copia en conflicto de ADA-PC 2026-01-01).md', 'a.md', 'Dropbox'],
  ['a (ADA 上の問題のあるコピー 2026-01-01).md', 'a.md', 'Dropbox'],
  ['a (Case Conflict).md', 'a.md', 'Dropbox'],
  ['a (Unicode Encoding Conflict).md', 'a.md', 'Dropbox'],
  ['a (conflicted copy 2026-01-05 101500).md', 'a.md', 'Nextcloud'],
  ['a (conflicted copy ada 2026-01-05 101500).md', 'a.md', 'Nextcloud'],
  ['a (case clash from 2026-01-05 101500).md', 'a.md', 'Nextcloud'],
  ['a_conflict-20260105-101500.md', 'a.md', 'ownCloud'],
  ['2026-03-12 (Conflicted copy ThinkPad-T14-G5 202603121129).md', '2026-03-12.md', 'Obsidian Sync'],
  ['a (SFConflict ada@example.org 2026-01-05-10-15-00).md', 'a.md', 'Seafile'],
];
const LIKELY: readonly (readonly [name: string, original: string, service: string])[] = [
  ['b/Note 2.md', 'b/Note.md', 'iCloud Drive'],
  ['Note 12.md', 'Note.md', 'iCloud Drive'],
  ['Note (1).md', 'Note.md', 'Google Drive'],
  ['Note.Conflict.md', 'Note.md', 'Resilio Sync'],
  ['Note.Conflict2.md', 'Note.md', 'Resilio Sync'],
  ['Note-DESKTOP-4F2K1Q.md', 'Note.md', 'OneDrive'],
  ['Note-DESKTOP-4F2K1Q-2.md', 'Note.md', 'OneDrive'],
  ['my-note-ADAPC.md', 'my-note.md', 'OneDrive'],
  ['Note-MacBook Pro de Charlyne-10.md', 'Note.md', 'OneDrive'],
  ['Note (kopia powodująca konflikt ADA 2026-01-05).md', 'Note.md', 'Dropbox'],
];

const nothing = (): boolean => false;

describe('O-10 names that sync services give to copies', () => {
  it.each(CERTAIN)('O-10 %s is a copy, whatever is beside it', (name, original, service) => {
    expect(isConflictCopy(name)).toBe(true);
    expect(readConflictName(name, nothing)).toMatchObject({
      original,
      strength: 'certain',
      service: expect.stringContaining(service) as string,
    });
  });

  it.each(LIKELY)('O-10 %s is one only where its original is there too', (name, original, service) => {
    expect(isConflictCopy(name)).toBe(false);
    expect(readConflictName(name, nothing)).toBeNull();
    expect(readConflictName(name, (path) => path === original)).toEqual({ original, service, strength: 'likely' });
  });

  it('O-10 a hyphen and any word is possible, no more', () => {
    expect(readConflictName('auth-flow.md', (path) => path === 'auth.md')).toMatchObject({ original: 'auth.md', strength: 'possible' });
    for (const name of ['2026-W01.md', '2026-01-02.md'])
      expect(readConflictName(name, (path) => path === '2026.md')).toMatchObject({ strength: 'possible' });
  });

  it.each([
    'On (conflicted copy) rights.md',
    'conflicted copy.md',
    'a.md',
    'a.sync_conflict_2026.md',
    'a_conflict_20260105.png',
    'Note 1.md',
    'Note2.md',
    'On conflicts.md',
    '-PC.md',
    ' 2.md',
    '(1).md',
  ])('O-10 %s says nothing', (name) => {
    expect(isConflictCopy(name)).toBe(false);
    expect(readConflictName(name, (path) => path !== name)).toBeNull();
  });

  it('O-10 hostile names take no time', () => {
    const before = cpuMs();
    for (const part of ['-PC', ' (', 'conflicted copy', ' (conflicted copy', '_conflict', '.sync-conflict-1', ' 2', '’s '])
      for (let repeat = 0; repeat < 20; repeat++) readConflictName(`${part.repeat(Math.floor(990 / part.length))}.md`, nothing);
    expect(cpuMs() - before).toBeLessThan(1_000);
  });
});

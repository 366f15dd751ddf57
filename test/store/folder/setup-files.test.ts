import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSetupFiles } from '../../../src/store/folder/setup-files.ts';
import { withOutside } from '../../support/outside.ts';
import { testPorts } from '../../support/test-ports.ts';

const bytes = Buffer.from('ours\n');

describe('files that set a folder up', () => {
  it('are written where they were looked at, or not at all, whatever happens in between', () =>
    withOutside({ '.client/there.json': 'theirs\n' }, async (vault, outside) => {
      writeFileSync(outside.path('there.json'), 'theirs\n');
      const before = outside.look();
      const files = openSetupFiles(vault.root, testPorts());
      const there = files.look('.client/there.json');
      const absent = files.look('.client/new.json');
      renameSync(vault.path('.client'), vault.path('aside'));
      symlinkSync(outside.root, vault.path('.client'));
      for (const [name, seen] of [
        ['there.json', there],
        ['new.json', absent],
      ] as const) {
        expect(await files.write(`.client/${name}`, { bytes, seen })).not.toBeNull();
      }
      expect(outside.look()).toEqual(before);
      expect(vault.list('aside')).toEqual(['there.json']);
      expect(vault.read('aside/there.json')).toBe('theirs\n');
    }));

  it('are not written over what another program wrote since', () =>
    withOutside({ 'there.json': 'theirs\n' }, async (vault) => {
      const files = openSetupFiles(vault.root, testPorts());
      const there = files.look('there.json');
      const absent = files.look('new.json');
      vault.write('there.json', 'theirs too\n');
      vault.write('new.json', 'theirs too\n');
      expect(await files.write('there.json', { bytes, seen: there })).toBe('there.json was changed by another program at the same moment');
      expect(await files.write('new.json', { bytes, seen: absent })).toBe(
        'new.json cannot be written: another program made it at the same moment',
      );
      expect([vault.read('there.json'), vault.read('new.json')]).toEqual(['theirs too\n', 'theirs too\n']);
      expect(await files.write('there.json', { bytes, seen: files.look('there.json') })).toBeNull();
      expect(vault.read('there.json')).toBe('ours\n');
      expect(vault.list('.')).toEqual(['new.json', 'there.json']);
    }));
});

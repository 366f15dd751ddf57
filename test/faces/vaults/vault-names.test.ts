import { describe, expect, it } from 'vitest';
import { nameVaults, vaultPath } from '../../../src/faces/vault-names.ts';

describe('O-02 names of vaults', () => {
  it('O-02 a vault is named by its folder; a name that is taken gets a number, in the order in which they are named', () => {
    expect(nameVaults(['/a/notes', '/b/work'])).toEqual(['notes', 'work']);
    expect(nameVaults(['/a/notes', '/b/notes', '/c/notes'])).toEqual(['notes', 'notes-2', 'notes-3']);
    expect(nameVaults(['/a/notes', '/c/notes-2', '/b/notes'])).toEqual(['notes', 'notes-2', 'notes-3']);
    expect(nameVaults(['/a/notes', '/b/notes', '/c/notes-2'])).toEqual(['notes', 'notes-2', 'notes-2-2']);
  });

  it('O-02 names that differ in case alone, or in how a letter is written, count as one', () => {
    expect(nameVaults(['/a/Notes', '/b/notes'])).toEqual(['Notes', 'notes-2']);
    expect(nameVaults(['/a/Cafe\u0301', '/b/Caf\u00e9'])).toEqual(['Caf\u00e9', 'Caf\u00e9-2']);
  });

  it('O-02 no vault takes a path of the server; the root of a disk has a name too', () => {
    expect(nameVaults(['/x/api', '/x/mcp', '/x/Assets', '/x/.well-known', '/'])).toEqual([
      'api-2',
      'mcp-2',
      'Assets-2',
      '.well-known-2',
      'vault',
    ]);
  });

  it('O-02 a name is one line', () => {
    expect(nameVaults(['/x/new\nline\u0000', '/x/new line '])).toEqual(['new line ', 'new line -2']);
  });

  it('O-02 a name is encoded in an address', () => {
    expect(vaultPath('My notes & 100% / ü')).toBe('/My%20notes%20%26%20100%25%20%2F%20%C3%BC');
  });
});

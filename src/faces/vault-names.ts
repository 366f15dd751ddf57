import { basename } from 'node:path';

/** One of several vaults that are open together: its name, and those of all. */
export interface AmongVaults {
  readonly name: string;
  readonly all: readonly string[];
}

/** The first parts of the server's own paths, with one vault or with several (`http/vaults/root.ts`). */
const TAKEN: readonly string[] = [
  '.well-known',
  'api',
  'assets',
  'favicon.ico',
  'favicon.svg',
  'frames',
  'health',
  'mcp',
  'metrics',
  'robots.txt',
];

/**
 * Names vaults that are open together, in their order: each by its folder. A name that is taken, by an earlier vault or by a path of the
 * server, gets a number: `notes`, `notes-2`. Names that differ only in case count as one, since people would confuse them.
 */
export function nameVaults(roots: readonly string[]): readonly string[] {
  const taken = new Set(TAKEN);
  return roots.map((root) => {
    // The root of a disk has no name. A line end in a name would begin a new line of the instructions.
    const folder =
      basename(root)
        .normalize('NFC')
        .replaceAll(/\p{Cc}/gu, ' ') || 'vault';
    let name = folder;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${folder}-${number}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** Returns the path below which a server of several vaults has one of them: `/my%20notes`. */
export function vaultPath(name: string): string {
  return `/${encodeURIComponent(name)}`;
}

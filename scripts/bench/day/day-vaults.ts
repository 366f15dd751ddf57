import { chmodSync, cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { COPY, FAULTS, type DayVault, type Fault } from './faults.ts';

/** Copies a public vault and puts the faults of the day into it; gives the folder. Throws where the public vault has changed. */
export function seedVault(vault: DayVault, from: string, folder: string): string {
  const root = join(folder, vault);
  cpSync(from, root, { recursive: true });
  for (const path of pathsBelow(root)) chmodSync(path, 0o755);
  for (const fault of FAULTS.filter((each) => each.vault === vault)) seedFault(root, fault);
  if (COPY.vault === vault) {
    writeFileSync(join(root, COPY.path), copyOf(readFileSync(join(root, COPY.of), 'utf8')));
    writeFileSync(join(root, COPY.linking), 'Read [[Buy wisely copy]] again.\n');
  }
  return root;
}

function seedFault(root: string, fault: Fault): void {
  const path = join(root, fault.file);
  if (fault.kind === 'folder') {
    renameSync(path, join(root, fault.wrong));
    return;
  }
  const text = readFileSync(path, 'utf8');
  if (!text.includes(fault.before)) throw new Error(`${fault.file} has no ${fault.before}`);
  writeFileSync(path, text.replaceAll(fault.before, fault.wrong));
}

function copyOf(text: string): string {
  return `${text.replace('---\n', `---\ntags: [${COPY.tag}]\n`).replace('topics:\n', `topics:\n  - "${COPY.topic}"\n`).trimEnd()}\n\n${COPY.text}\n`;
}

/** The files of a vault, by path, without those of dot-folders. Each byte is a character, so that images can be compared too. */
export function textsOf(root: string): Map<string, string> {
  const files = pathsBelow(root).filter(
    (path) =>
      !relative(root, path)
        .split(sep)
        .some((part) => part.startsWith('.')),
  );
  return new Map(files.map((path) => [relative(root, path).split(sep).join('/'), readFileSync(path, 'latin1')]));
}

function pathsBelow(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

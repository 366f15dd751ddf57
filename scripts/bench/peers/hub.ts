import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { spreadOver } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';

const BACKLINKS = 100;
const OLD = 'Hub of the Bench';
const NEW = 'Renamed Hub';

/** A note with a hundred backlinks, and what it is to be called. Paths in the vault. */
export interface Hub {
  readonly from: string;
  readonly to: string;
  readonly title: string;
  /** How many of the links lead to the new name, of how many. */
  readonly followed: () => string;
}

/** Adds such a note, linked to in five ways: by name, with other words, to a heading, as an embed and as a Markdown link. */
export function addHub(vault: string): Hub {
  const linking = spreadOver(notesBelow(vault), BACKLINKS);
  writeFileSync(join(vault, `${OLD}.md`), '# Start\n\nWords.\n');
  for (const [index, note] of linking.entries()) appendFileSync(note, `\n${linkFrom(vault, note, OLD, index)}\n`);
  const followed = (): string => {
    const right = linking.filter((note, index) => readFileSync(note, 'utf8').includes(`\n${linkFrom(vault, note, NEW, index)}\n`));
    return `${right.length} of ${linking.length} links follow`;
  };
  return { from: `${OLD}.md`, to: `${NEW}.md`, title: NEW, followed };
}

function linkFrom(vault: string, note: string, name: string, index: number): string {
  const path = encodeURI(relative(dirname(note), join(vault, `${name}.md`)));
  const forms = [`[[${name}]]`, `[[${name}|the hub]]`, `[[${name}#Start]]`, `![[${name}]]`, `[hub](${path})`];
  return forms[index % forms.length] ?? '';
}

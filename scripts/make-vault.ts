/**
 * Writes a seeded vault for benchmarks: `npx tsx scripts/make-vault.ts <folder> <notes> [seed]`.
 * Links follow a power law, folders nest, some notes are Chinese, Japanese, Russian or Greek, frontmatter is written as people write it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A seeded source of numbers in [0, 1): the same seed gives the same vault. */
function seeded(seed: number): () => number {
  // With a sign, as V8 keeps such a number without allocating it.
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const SYLLABLES =
  'ba be bo da de di do fa fi ga go ka ke ki la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve vi'.split(
    ' ',
  );
const OTHER_SCRIPTS = [
  '知识管理和笔记之间的联系',
  '毎日の記録を続けることが大切です',
  'Заметки о проекте и людях',
  'Σημειώσεις για το έργο και τους ανθρώπους',
];
const TAGS = ['idea', 'project/alpha', 'project/beta', 'reading', 'meeting', 'draft', 'person', 'how-to', '日记'];

export interface GeneratedNote {
  readonly path: string;
  readonly text: string;
}

/** The notes of a generated vault, one after another; about 3 KB and 6.5 links each. */
export function* generateNotes(count: number, seed = 1): Generator<GeneratedNote> {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const vocabulary = Array.from({ length: 12_000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join(''),
  );
  // Zipf: a few words make up most of a text.
  const word = (): string => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? vocabulary[0]!;
  const words = (length: number): string => {
    let text = word();
    for (let at = 1; at < length; at += 1) text += ` ${word()}`;
    return text;
  };

  const names = Array.from({ length: count }, (_, index) => {
    const depth = Math.floor(random() * 4);
    const folder = Array.from({ length: depth }, (_level, level) => `area-${Math.floor(random() * (level === 0 ? 12 : 5))}`).join('/');
    const title = index % 25 === 7 ? `${pick(OTHER_SCRIPTS).slice(0, 6)} ${index}` : `${word()} ${word()} ${index}`;
    return { folder, title };
  });
  // Power law: low numbers are linked most.
  const target = (): (typeof names)[number] => names[Math.floor(count * random() ** 3)]!;
  const link = (): string => {
    const { folder, title } = target();
    const form = random();
    const path = folder === '' ? title : `${folder}/${title}`;
    if (form < 0.6) return `[[${title}]]`;
    if (form < 0.75) return `[[${title}|${word()}]]`;
    if (form < 0.85) return `[[${title}#${word()}]]`;
    if (form < 0.92) return `[[${path}]]`;
    if (form < 0.97) return `[${word()}](${encodeURI(path)}.md)`;
    return `[[no such ${word()}]]`;
  };

  for (const [index, { folder, title }] of names.entries()) {
    const lines: string[] = [];
    if (random() < 0.8) {
      lines.push('---');
      if (random() < 0.3) lines.push(`title: ${title}`);
      if (random() < 0.4) lines.push(`aliases: [${word()} ${index}, "${word()}: ${index}"]`);
      if (random() < 0.6) lines.push('tags:', `  - ${pick(TAGS)}`, `  - ${pick(TAGS)}-${Math.floor(random() * 20)}`);
      lines.push(`created: 20${10 + Math.floor(random() * 16)}-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}`);
      if (random() < 0.3) lines.push(`rating: ${Math.floor(random() * 10)}`, `done: ${random() < 0.5}`);
      if (random() < 0.3) lines.push(`up: "${link().replace(/\[(?!\[).*/, '[[Home]]')}"`);
      lines.push('---', '');
    }
    lines.push(`# ${title}`, '');
    const size = 900 + Math.floor(random() * 2_800);
    let length = 0;
    while (length < size) {
      const kind = random();
      let block: string;
      if (kind < 0.12) block = `## ${words(3)}`;
      else if (kind < 0.2) block = ['```ts', `const ${word()} = [["${word()}"]]; // #${word()}`, '```'].join('\n');
      else if (kind < 0.4) block = [words(8), words(6), `${words(4)} ${link()}`].map((text) => `- ${text}`).join('\n');
      else if (kind < 0.45) block = `> ${words(20)} #${pick(TAGS)}`;
      else if (kind < 0.5) block = pick(OTHER_SCRIPTS).repeat(4);
      else block = `${words(30)} ${link()} ${words(25)}.`;
      lines.push(block, '');
      length += block.length;
    }
    yield { path: join(folder, `${title}.md`), text: lines.join('\n') };
  }
}

/** Writes a generated vault below a folder. */
export function makeVault(folder: string, count: number, seed = 1): void {
  const made = new Set<string>();
  for (const note of generateNotes(count, seed)) {
    const file = join(folder, note.path);
    const parent = dirname(file);
    if (!made.has(parent)) {
      mkdirSync(parent, { recursive: true });
      made.add(parent);
    }
    writeFileSync(file, note.text);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, count, seed] = process.argv.slice(2);
  if (folder === undefined || !/^\d+$/.test(count ?? '')) {
    console.error('usage: npx tsx scripts/make-vault.ts <folder> <notes> [seed]');
    process.exit(2);
  }
  makeVault(folder, Number(count), seed === undefined ? 1 : Number(seed));
  console.log(`${count} notes in ${folder}`);
}

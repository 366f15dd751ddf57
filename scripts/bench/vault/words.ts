import { readFileSync } from 'node:fs';

/** What a generated vault is asked for. */
export interface Words {
  /** Words that some notes have. */
  readonly some: readonly string[];
  /** Words that most notes have. */
  readonly common: readonly string[];
  /** Three words as they stand in a note. */
  readonly phrases: readonly string[];
}

/** Takes words out of notes, given by their paths. */
export function readWords(notes: readonly string[]): Words {
  const texts = notes.slice(0, 2_000).map((note) => readFileSync(note, 'utf8'));
  const found = new Set<string>();
  for (const text of texts) {
    const [word] = /\b[a-z]{6,9}\b/.exec(text.slice(-400)) ?? [];
    if (word !== undefined) found.add(word);
    if (found.size === 400) break;
  }
  const some = [...found];
  const phrases = some.flatMap((word, at) => new RegExp(`\\b[a-z]{2,9} ${word} [a-z]{2,9}\\b`).exec(texts[at] ?? '')?.[0] ?? []);
  return { some, common: commonOf(texts), phrases };
}

function commonOf(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts.slice(0, 1_000)) {
    for (const word of new Set(text.match(/\b[a-z]{4,9}\b/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
  return sorted.slice(0, 40);
}

import { partOf, splitWords } from '../../../page/site/words.ts';
import type { RenderedPage } from './render-pages.ts';

/** Weights of words by where they are. A word counts at most `MAX_BODY_WEIGHT` times in the text. */
const TITLE_WEIGHT = 12;
const TAG_WEIGHT = 6;
const HEADING_WEIGHT = 4;
const MAX_BODY_WEIGHT = 3;

/**
 * Indexes the words of pages, in parts by how words begin (`partOf`). A part maps each word to pairs of numbers: the step from the page
 * before to the next one that has it, by their order, and the weight of the word there.
 */
export function indexWords(pages: Iterable<RenderedPage>): ReadonlyMap<string, Readonly<Record<string, readonly number[]>>> {
  const parts = new Map<string, Record<string, number[]>>();
  const last = new Map<string, number>();
  let number = 0;
  for (const page of pages) {
    for (const [word, weight] of weighWords(page)) {
      const name = partOf(word);
      const part = parts.get(name) ?? (Object.create(null) as Record<string, number[]>);
      parts.set(name, part);
      (part[word] ??= []).push(number - (last.get(word) ?? 0), weight);
      last.set(word, number);
    }
    number += 1;
  }
  return parts;
}

function weighWords({ note, tags, shown }: RenderedPage): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { text, isHeading } of shown.blocks) {
    for (const word of splitWords(text)) {
      const weight = weights.get(word) ?? 0;
      weights.set(word, isHeading ? Math.max(weight, HEADING_WEIGHT) : Math.max(weight, Math.min(weight + 1, MAX_BODY_WEIGHT)));
    }
  }
  for (const [words, weight] of [
    [splitWords(tags.join(' ')), TAG_WEIGHT],
    [splitWords([note.title, ...note.aliases].join(' ')), TITLE_WEIGHT],
  ] as const)
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight);
  return weights;
}

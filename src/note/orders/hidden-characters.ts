/** Quick test: whether a text has any character that nobody sees. Most texts have none. */
const ANY_HIDDEN = /[\u034f\u00ad\u180e\u200b-\u200d\u202d\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e01ef}\p{Variation_Selector}]/u;

/** All of them, to leave them out. Joiners between letters of scripts that need them are left out too: this is for comparing only. */
const HIDDEN = /[\u034f\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff\u{e0000}-\u{e01ef}]/gu;

/** More than one joiner, blank without width or variation selector in a row carries no meaning. */
const RUN = /[\u180e\u200b-\u200d\u2060-\u2064\ufeff]{3,}|\p{Variation_Selector}{3,}|(?:[a-z][\u200b-\u200d\u2060-\u2064\ufeff]){4,}/giu;

/** Text written in tag characters: invisible, and read by models. They also make flags: a black flag, letters, and the end. */
const TAGS = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f}|[\u{e0000}-\u{e007f}]+/gu;

/** Marks that make text run in the other direction than it is written. */
const OVERRIDES = /[\u202d\u202e]/g;

/** Returns whether a text has characters that nobody sees. */
export function hasHidden(text: string): boolean {
  return ANY_HIDDEN.test(text);
}

/** Returns the offsets of hidden characters that no script and no emoji needs. */
export function findHidden(text: string): readonly number[] {
  const found: number[] = [];
  for (const pattern of [RUN, OVERRIDES]) for (const { index } of text.matchAll(pattern)) found.push(index);
  for (const { index, 0: match } of text.matchAll(TAGS)) if (!match.startsWith('\u{1f3f4}')) found.push(index);
  return found;
}

/** Removes hidden characters. Returns the text, and where each of its characters was; null: none was removed. */
export function withoutHidden(text: string): { readonly text: string; readonly offsetOf: (at: number) => number } {
  if (!hasHidden(text)) return { text, offsetOf: (at) => at };
  // Of each part: where it begins in the result, and what was removed before it.
  const starts: number[] = [];
  const removed: number[] = [];
  let [result, end] = ['', 0];
  for (const { index, 0: match } of text.matchAll(HIDDEN)) {
    starts.push(result.length);
    removed.push(end - result.length);
    result += text.slice(end, index);
    end = index + match.length;
  }
  starts.push(result.length);
  removed.push(end - result.length);
  result += text.slice(end);
  return { text: result, offsetOf: (at) => at + (removed[lastAtMost(starts, at)] ?? 0) };
}

/** Returns the last place in a sorted list whose value is at most `value`. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Shows hidden characters by their numbers (`U+200B`), and text in tag characters as what it says. */
export function showHidden(text: string): string {
  if (!hasHidden(text)) return text;
  return text
    .replace(
      /[\u{e0020}-\u{e007e}]+/gu,
      (tags) => `[tags: ${Array.from(tags, (tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)).join('')}]`,
    )
    .replace(
      /([\u180e\u200b-\u200d\u202d\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e01ef}\p{Variation_Selector}])\1*/gu,
      (run, first: string) => {
        const count = run.length / first.length;
        const name = `U+${(first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
        return count === 1 ? name : `${name}×${count}`;
      },
    );
}

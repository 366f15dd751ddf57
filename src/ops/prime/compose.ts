import { PRIME_LISTS } from '../operation.ts';
import type { PrimeList } from '../operation.ts';
import { cleanLine } from './clean-line.ts';

/** Characters of a token, by what they are: an estimate on the safe side, since every model counts in its own way. */
const LETTERS_PER_TOKEN = 3.5;
const SIGNS_PER_TOKEN = 1.6;
/** Tokens of a character outside of ASCII: letters with accents, then all others up to U+FFFF, then emoji and rare signs. */
const ACCENTED_TOKENS = 0.5;
const WIDE_TOKENS = 1.2;
const ASTRAL_TOKENS = 3;

/** The heading of each list, and its share of the tokens while others need theirs. */
const LISTS: Readonly<Record<PrimeList['name'], { readonly title: string; readonly share: number }>> = {
  handoffs: { title: 'Unfinished, handed over', share: 0.25 },
  held: { title: 'Claimed at the moment', share: 0.1 },
  ready: { title: 'Tasks that are ready', share: 0.15 },
  changed: { title: 'Changed by people', share: 0.15 },
  facts: { title: 'Newest facts', share: 0.1 },
  memory: { title: 'Remembered last', share: 0.1 },
  stale: { title: 'Past their day, not confirmed since', share: 0.1 },
  vault: { title: 'The vault', share: 0.2 },
};

/** A list as it is shown. */
export interface ShownList extends PrimeList {
  readonly title: string;
}

/** What is told at the start of a session. */
export interface Primed {
  readonly text: string;
  /** Estimated, rather too many than too few. */
  readonly tokens: number;
  readonly lists: readonly ShownList[];
}

const FENCE = '````';

/**
 * Composes a text of at most `maxTokens` from the lists: each gets its share, then the most important ones what is left. Text of the vault
 * stands in a fence and is said to be data. Empty if there is nothing to tell.
 */
export function compose(found: readonly PrimeList[], { head, foot, maxTokens }: { head: string; foot: string; maxTokens: number }): Primed {
  const cleaned = PRIME_LISTS.flatMap((name) => found.filter((list) => list.name === name && list.lines.length > 0)).map((list) => ({
    ...list,
    lines: list.lines.map(cleanLine),
  }));
  const frame = (body: string): string => `${head}\n\n${FENCE}text\n${body}\n${FENCE}\n\n${foot}\n`;
  const room = maxTokens - countTokens(frame(''));
  let shown = cleaned.map((list) => take(list, Math.floor(room * LISTS[list.name].share)));
  // What some lists leave is for those that were cut, the most important first.
  for (const [at, list] of cleaned.entries()) {
    const others = shown.reduce((sum, other, index) => sum + (index === at ? 0 : costOf(other)), 0);
    shown = shown.with(at, take(list, room - others));
  }
  const lists = shown.filter(({ lines }) => lines.length > 0);
  if (lists.length === 0) return { text: '', tokens: 0, lists };
  const text = frame(lists.map(show).join('\n'));
  return { text, tokens: countTokens(text), lists };
}

/** Takes as many lines of a list as fit into a number of tokens. */
function take(list: PrimeList, tokens: number): ShownList {
  const titled = (lines: readonly string[]): ShownList => ({
    ...list,
    title: LISTS[list.name].title,
    lines,
    more: list.more === null ? null : list.more + list.lines.length - lines.length,
  });
  for (let length = list.lines.length; length > 0; length -= 1) {
    const cut = titled(list.lines.slice(0, length));
    if (costOf(cut) <= tokens) return cut;
  }
  return titled([]);
}

function costOf(list: ShownList): number {
  return list.lines.length === 0 ? 0 : countTokens(`${show(list)}\n`);
}

function show({ title, lines, more }: ShownList): string {
  return [`${title}:`, ...lines.map((line) => `- ${line}`), ...(more === null || more === 0 ? [] : [`  (${more} more)`])].join('\n');
}

/** Estimates how many tokens a text takes, rather too many than too few. */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) tokens += 1 / (/[a-z ]/.test(character) ? LETTERS_PER_TOKEN : SIGNS_PER_TOKEN);
    else if (code < 0x250) tokens += ACCENTED_TOKENS;
    else tokens += code > 0xffff ? ASTRAL_TOKENS : WIDE_TOKENS;
  }
  return Math.ceil(tokens);
}

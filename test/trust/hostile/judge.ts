import type { Ground } from './ground.ts';

/** Largest answer in characters; lists are paged and texts cut. */
const MAX_CHARACTERS = 1_000_000;

const SIGNS: readonly (readonly [string, RegExp])[] = [
  ['a stack trace', /^\s+at .*(?:file:|node:|\/).*:\d+:\d+\)?$/m],
  ['a fault of the program', /\b(?:TypeError|RangeError|ReferenceError|SyntaxError|AssertionError|ZodError)\b|ERR_[A-Z_]{4,}/],
  [
    'a fault of the program in words',
    /Cannot (?:read|set|destructure|convert) |is not (?:a function|iterable|a constructor)|Maximum call stack|Invalid (?:array|string|typed array) length|Reduce of empty array|out of memory|Array buffer allocation failed/,
  ],
  // The vaults of these runs have no embedder: that `similar_nodes` refuses there is what it should do.
  ['an error without a code of ours', /"code":"PROVIDER_ERROR"(?!,"message":"What is similar cannot be told: embeddings are turned off)/],
  ['the main thread held', /has held roux for \d+ s/],
  ['an error of the system with an absolute path', /\bE[A-Z]{3,}: [^\n]*'\//],
];

// oxlint-disable-next-line no-control-regex
const RAW_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f]/;

/** What is wrong with a text that came out of roux. `isTerminal`: people see it as it is. */
export function judgeText(
  ground: Pick<Ground, 'secret' | 'outside'>,
  text: string,
  { isTerminal }: { isTerminal: boolean },
): readonly string[] {
  const faults = SIGNS.flatMap(([what, pattern]) => {
    const found = pattern.exec(text);
    return found === null ? [] : [`${what}: ${around(text, found.index)}`];
  });
  if (text.includes(ground.secret)) faults.push(`what is private: ${around(text, text.indexOf(ground.secret))}`);
  if (text.length > MAX_CHARACTERS) faults.push(`an answer of ${text.length} characters`);
  const control = isTerminal ? RAW_CONTROLS.exec(text) : null;
  if (control !== null) faults.push(`raw control characters: ${around(text, control.index)}`);
  return faults;
}

function around(text: string, index: number): string {
  return JSON.stringify(text.slice(Math.max(0, index - 200), index + 300));
}

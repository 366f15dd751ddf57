import type { Finding } from './findings.ts';

/** A defect that is known and being put right elsewhere. Empty is how this list is meant to be. */
export interface Known {
  readonly what: string;
  isIt(finding: Finding, kinds: readonly string[]): boolean;
}

export const KNOWN: readonly Known[] = [
  {
    what: 'a .rouxrc.json that is no regular file, or huge, is waited for or read to its end',
    isIt: ({ what }, kinds) =>
      isPlanted(kinds, /^settings: \.rouxrc\.json that is (?:no file|huge)/) &&
      /hangs|does not start|ended with|took|EISDIR|out of memory/.test(what),
  },
  {
    what: 'roux init and roux git go through links, and tell errors of the system as they are',
    isIt: ({ call }) => /^roux "(?:init|git)"/.test(call),
  },
  {
    what: 'roux serve writes and reads .roux/run through links',
    isIt: ({ call, what }, kinds) =>
      /^(?:serve|http)/.test(call) &&
      isPlanted(kinds, /^(?:run|home)|^settings: \.rouxrc/) &&
      /outside:|does not start|fails:|what is private|raw control/.test(what),
  },
  {
    what: 'messages of failures go to the terminal with the control characters of what they name',
    isIt: ({ call, what }) => call.startsWith('roux "') && /^raw control characters: .*roux [a-z-]+: /.test(what),
  },
];

function isPlanted(kinds: readonly string[], pattern: RegExp): boolean {
  return kinds.some((kind) => pattern.test(kind));
}

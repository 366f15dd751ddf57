import type { Run } from '../run.ts';
import { toText } from '../texts.ts';
import { Pattern } from '../values.ts';
import type { Value } from '../values.ts';
import { defineMembers, chargedText, flattenArguments, wholeNumber } from './method.ts';

export const stringMembers = defineMembers<string>({
  fields: { length: (_run, self) => self.length },
  methods: {
    contains: (run, self, [wanted = null]) => has(run, self, wanted),
    containsAll: (run, self, wanted) => wanted.every((each) => has(run, self, each)),
    containsAny: (run, self, wanted) => flattenArguments(run, wanted).some((each) => has(run, self, each)),
    startsWith: (run, self, [wanted = null]) => self.startsWith(chargedText(run, toText(run, wanted))),
    endsWith: (run, self, [wanted = null]) => self.endsWith(chargedText(run, toText(run, wanted))),
    isEmpty: (_run, self) => self === '',
    lower: (run, self) => run.text(self.toLowerCase()),
    upper: (run, self) => run.text(self.toUpperCase()),
    title: (run, self) =>
      run.text(self.replace(/(^|\s)(\p{L})/gu, (_all, before: string, letter: string) => before + letter.toUpperCase())),
    trim: (run, self) => chargedText(run, self).trim(),
    reverse: (run, self) => run.text(Array.from(self).reverse().join('')),
    repeat(run, self, [count = null]) {
      const times = Math.max(0, wholeNumber(count) ?? 0);
      run.checkLength(self.length * times);
      return self.repeat(times);
    },
    slice: (_run, self, [start = null, end = null]) => self.slice(wholeNumber(start) ?? 0, wholeNumber(end) ?? undefined),
    replace,
    split,
  },
});

function has(run: Run, text: string, wanted: Value): boolean {
  const part = toText(run, wanted);
  run.chargeSearch(text, part);
  return text.includes(part);
}

function replace(run: Run, self: string, [wanted = null, by = null]: readonly Value[]): Value {
  const replacement = toText(run, by);
  if (wanted instanceof Pattern) return run.match(wanted, self, (regex) => replaceAll(run, self, regex, replacement));
  const text = toText(run, wanted);
  run.chargeSearch(self, text);
  run.chargeRead(self.length);
  const places = text === '' ? self.length + 1 : self.split(text).length - 1;
  run.checkLength(self.length + places * replacement.length);
  return self.replaceAll(text, () => replacement);
}

/** Replaces match by match, so that a result that becomes too long is noticed early. */
function replaceAll(run: Run, self: string, regex: RegExp, replacement: string): string {
  const pieces: string[] = [];
  let [from, length] = [0, 0];
  self.replace(regex, (...found: unknown[]) => {
    const groupsAt = typeof found.at(-1) === 'object' ? -1 : found.length;
    const [match, at] = [String(found[0]), Number(found.at(groupsAt === -1 ? -3 : -2))];
    const groups = found.slice(1, groupsAt === -1 ? -3 : -2) as readonly (string | undefined)[];
    const inserted = replacement.replace(/\$(\$|&|\d{1,2})/g, (whole, name: string) => {
      if (name === '$') return '$';
      if (name === '&') return match;
      const number = Number(name);
      return number >= 1 && number <= groups.length ? (groups[number - 1] ?? '') : whole;
    });
    length += at - from + inserted.length;
    run.limitLength(length);
    pieces.push(self.slice(from, at), inserted);
    from = at + match.length;
    return '';
  });
  return run.text(pieces.join('') + self.slice(from));
}

function split(run: Run, self: string, [separator = null, most = null]: readonly Value[]): Value {
  const count = wholeNumber(most);
  const limit = count === null || count < 0 ? undefined : count;
  run.checkLength(self.length);
  if (separator instanceof Pattern) return run.match(separator, self, (regex) => self.split(regex, limit).map((part) => part ?? null));
  if (separator === null) return [self];
  const text = toText(run, separator);
  run.chargeSearch(self, text);
  return self.split(text, limit);
}

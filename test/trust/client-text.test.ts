import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { addServer } from '../../src/faces/cli/serve/client-text.ts';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';

const ENTRY = { command: 'node', args: ['x'] };
const add = (text: string) => addServer(text, { key: 'mcpServers', entry: ENTRY });
const edited = (text: string): string => {
  const edit = add(text);
  return edit.kind === 'edited' ? edit.text : JSON.stringify(edit);
};

const INLINE = `"roux": ${JSON.stringify(ENTRY)}`;
const ALL_INLINE = `"mcpServers": ${JSON.stringify({ roux: ENTRY })}`;
const lines = (indent: string, unit = '  ', eol = '\n'): string =>
  `"roux": ${JSON.stringify(ENTRY, null, unit).replaceAll('\n', `${eol}${indent}`)}`;

describe('F49 a server added to a configuration', () => {
  it.each([
    ['an empty object', '{}', `{\n  "mcpServers": {\n    ${lines('    ')}\n  }\n}`],
    ['an empty object with space', ' { } \n', ` {\n   "mcpServers": {\n     ${lines('     ')}\n   }\n  } \n`],
    ['one line', '{"mcpServers":{"a":{}}}', `{"mcpServers":{"a":{}, ${INLINE}}}`],
    ['one line, nothing in it', '{"mcpServers": {}}\n', `{"mcpServers": {${INLINE}}}\n`],
    ['one line with a trailing comma', '{"a": 1 /* one */, /* two */}', `{"a": 1 /* one */, /* two */ ${ALL_INLINE},}`],
    ['one line without its comma', '{"a": 1 /* one */}', `{"a": 1, /* one */ ${ALL_INLINE}}`],
    [
      'an object on one line among others',
      '{\n  "mcpServers": {"a": {}},\n  "b": 1\n}',
      `{\n  "mcpServers": {"a": {}, ${INLINE}},\n  "b": 1\n}`,
    ],
    [
      'the comment of the line before',
      '{\n  "mcpServers": {\n    "a": {} // about a\n    // about nothing\n  }\n}',
      `{\n  "mcpServers": {\n    "a": {}, // about a\n    ${lines('    ')}\n    // about nothing\n  }\n}`,
    ],
    [
      'a comma on a line of its own',
      '{\n  "a": 1\n  , // comma\n}',
      `{\n  "a": 1\n  , // comma\n  "mcpServers": {\n    ${lines('    ')}\n  },\n}`,
    ],
    ['an end on the last line', '{\n  "a": 1}', `{\n  "a": 1,\n  "mcpServers": {\n    ${lines('    ')}\n  }\n}`],
    [
      'comments only',
      '// top\n{\n    // none yet\n}',
      `// top\n{\n    // none yet\n    "mcpServers": {\n        ${lines('        ', '    ')}\n    }\n}`,
    ],
    ['CRLF', '{\r\n\t"a": 1\r\n}\r\n', `{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t${lines('\t\t', '\t', '\r\n')}\r\n\t}\r\n}\r\n`],
    ['CR', '{\r "a": 1 // one\r}', `{\r "a": 1, // one\r "mcpServers": {\r  ${lines('  ', ' ', '\r')}\r }\r}`],
    [
      'the line end of the place',
      '{\n  "a": 1,\r\n  "b": 2\r\n}\n',
      `{\n  "a": 1,\r\n  "b": 2,\r\n  "mcpServers": {\r\n    ${lines('    ', '  ', '\r\n')}\r\n  }\r\n}\n`,
    ],
    ['a byte-order mark', '\uFEFF{"a": 1}', `\uFEFF{"a": 1, ${ALL_INLINE}}`],
    [
      'what is no name of ours',
      '{"a": {"mcpServers": {"roux": 1}}, "roux": 2}',
      `{"a": {"mcpServers": {"roux": 1}}, "roux": 2, ${ALL_INLINE}}`,
    ],
    [
      'names twice that are not ours',
      '{"a": 1, "a": 2, "mcpServers": {"b": 1, "b": 2}}',
      `{"a": 1, "a": 2, "mcpServers": {"b": 1, "b": 2, ${INLINE}}}`,
    ],
    [
      'signs in strings',
      '{"}": "] // no", "/*": "\\"", "mcpServers": {"\\\\": 1}}',
      `{"}": "] // no", "/*": "\\"", "mcpServers": {"\\\\": 1, ${INLINE}}}`,
    ],
    ['a name that is spelt out', '{"mcp\\u0053ervers": {"a": {}}}', `{"mcp\\u0053ervers": {"a": {}, ${INLINE}}}`],
    ['prototypes', '{"__proto__": {}, "mcpServers": {"constructor": 1}}', `{"__proto__": {}, "mcpServers": {"constructor": 1, ${INLINE}}}`],
  ])('stands at the end of its object, as the file is laid out: %s', (_, before, after) => {
    expect(edited(before)).toBe(after);
    expect(add(after)).toEqual({ kind: 'same' });
  });

  it.each([
    ['{"mcpServers": []}', 'is no object'],
    ['{"mcpServers": null}', 'is no object'],
    ['{"mcpServers": "x"}', 'is no object'],
    ['{"mcpServers": {}, "mcp\\u0053ervers": {}}', '"mcpServers" more than once'],
    ['{"mcpServers": {"roux": {}, "roux": {}}}', '"roux" more than once'],
    ['{"mcpServers": {"roux": null}}', 'an entry "roux" already'],
    ['{"mcpServers": {"roux": {"command": "node", "args": ["x"], "env": {}}}}', 'an entry "roux" already'],
    ['{"mcpServers": {"roux": {"command": "node", "args": {"0": "x"}}}}', 'an entry "roux" already'],
    ['[]', 'no JSON object'],
    ['null', 'no JSON object'],
    ['', 'not valid JSON'],
    ['\n', 'not valid JSON'],
    ['// only a comment', 'not valid JSON'],
    ['{"a": 1', 'not valid JSON'],
    ['{"a": 1}}', 'not valid JSON'],
    ['{"a": 1} /* open', 'not valid JSON'],
    ["{'a': 1}", 'not valid JSON'],
    ['{a: 1}', 'not valid JSON'],
    ['{"a" 1}', 'not valid JSON'],
    ['{"a": 1,, "b": 2}', 'not valid JSON'],
    ['{,}', 'not valid JSON'],
    ['{"a": 01}', 'not valid JSON'],
    ['{"a": "b\nc"}', 'not valid JSON'],
    ['{"a":\u00a01}', 'not valid JSON'],
    ['\uFEFF\uFEFF{}', 'not valid JSON'],
    ['<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n', 'not valid JSON'],
  ])('is not written where it is not clear how: %j', (text, reason) => {
    expect(add(text)).toMatchObject({ kind: 'left', reason: expect.stringContaining(reason) });
  });

  it('is not written into what is nested without end', () => {
    for (const text of ['['.repeat(100_000), `{"a": ${'{"a": '.repeat(5000)}1${'}'.repeat(5000)}}`]) {
      expect(add(text)).toEqual({ kind: 'left', reason: 'it is nested too deeply' });
    }
  });

  it('is the same in another layout and order', () => {
    expect(add('{"mcpServers": {"roux": /* ours */ {"args": ["\\u0078",], "command": "node"}}}')).toEqual({ kind: 'same' });
  });

  it('adds bytes and takes none away, whatever the document, and adds nothing the second time', () => {
    fc.assert(
      fc.property(documents, ({ text, isStrict }) => {
        const after = edited(text);
        expect(isInsertion(text, after)).toBe(true);
        const read = (document: string): Record<string, unknown> => plain(isStrict ? JSON.parse(document) : parseLoosely(document));
        const { mcpServers, ...rest } = read(after);
        const { mcpServers: before = {}, ...restBefore } = read(text);
        expect(rest).toEqual(restBefore);
        expect(mcpServers).toEqual({ ...plain(before), roux: ENTRY });
        expect([...endsOf(after)].filter((end) => !endsOf(text).has(end))).toEqual([]);
        expect(add(after)).toEqual({ kind: 'same' });
      }),
      { numRuns: 500 },
    );
  });

  it('is what roux init writes', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      for (const { text } of fc.sample(documents, 3)) {
        vault.write('.mcp.json', text);
        expect(await cli(['init', vault.root, '--client', 'claude'])).toMatchObject({ status: 0 });
        const written = vault.readBytes('.mcp.json');
        expect(isInsertion(text, written.toString('utf8'))).toBe(true);
        expect(await cli(['init', vault.root, '--client', 'claude'])).toMatchObject({ status: 0 });
        expect(vault.readBytes('.mcp.json')).toEqual(written);
      }
    }));
});

function parseLoosely(text: string): unknown {
  const errors: never[] = [];
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return value;
}

/** The kinds of line ends in a text, or the one that a text without any gets. */
function endsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/\r\n|\n|\r/g) ?? ['\n']);
}

/** With prototypes as object literals have them. */
function plain(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value));
}

/** Whether a text came to be by inserting into another one: a comma at most, and one stretch. */
function isInsertion(before: string, after: string): boolean {
  const common = (a: string, b: string): number => {
    let length = 0;
    while (length < a.length && a[length] === b[length]) length += 1;
    return length;
  };
  const hasOneStretch = (a: string, b: string): boolean => {
    const start = common(a, b);
    return b.length > a.length && b.endsWith(a.slice(start));
  };
  const start = common(before, after);
  if (hasOneStretch(before.slice(start), after.slice(start))) return true;
  return after[start] === ',' && hasOneStretch(before.slice(start), after.slice(start + 1));
}

/** Documents as people write them, with or without comments and trailing commas, in any layout. */
const documents: fc.Arbitrary<{ text: string; isStrict: boolean }> = fc.gen().map((draw) => {
  const isStrict = draw(fc.boolean);
  const eol = draw(fc.constantFrom, '\n', '\r\n', '\r', '');
  const space = (): string => {
    const kinds =
      eol === '' ? ['', ' ', '\t', '/**/', '/* } */'] : ['', ' ', '\t', eol, `${eol}  `, `// ", {${eol}`, `/* ]${eol} */`, '/* "roux" */'];
    return draw(fc.array, fc.constantFrom(...kinds.filter((kind) => !isStrict || !kind.includes('/'))), { maxLength: 3 }).join('');
  };
  const names = ['a', 'roux', 'mcpServers', '', '__proto__', 'x // y', '\\u0061', '\\"', 'é', '}'];
  const list = (open: string, close: string, items: readonly string[]): string => {
    const trailing = !isStrict && items.length > 0 && draw(fc.boolean) ? `,${space()}` : '';
    return `${open}${space()}${items.join(`,${space()}`)}${trailing}${close}`;
  };
  const property = (name: string, depth: number): string => `"${name}"${space()}:${space()}${value(depth)}${space()}`;
  const objectOf = (allowed: readonly string[], depth: number): readonly string[] =>
    draw(fc.array, fc.constantFrom(...allowed), { maxLength: 4 }).map((name) => property(name, depth));
  const value = (depth: number): string => {
    const kind = depth > 3 ? 'plain' : draw(fc.constantFrom, 'plain', 'object', 'array');
    if (kind === 'object') return list('{', '}', objectOf(names, depth + 1));
    if (kind === 'array')
      return list(
        '[',
        ']',
        draw(fc.array, fc.constant(0), { maxLength: 3 }).map(() => `${value(depth + 1)}${space()}`),
      );
    return draw(
      fc.constantFrom,
      '1',
      '-0',
      '1.50',
      '12345678901234567890',
      '1e5',
      'true',
      'null',
      '"x"',
      '"// \\u007d \\\\"',
      '"\u2028😀"',
    );
  };
  const others = names.filter((name) => name !== 'mcpServers');
  const properties = [...objectOf(others, 1)];
  if (draw(fc.boolean)) {
    const servers = objectOf(
      names.filter((name) => name !== 'roux'),
      2,
    );
    properties.splice(draw(fc.nat, properties.length), 0, `"mcpServers"${space()}:${space()}${list('{', '}', servers)}${space()}`);
  }
  const mark = draw(fc.boolean) && !isStrict ? '\uFEFF' : '';
  return { text: `${mark}${space()}${list('{', '}', properties)}${space()}`, isStrict };
});

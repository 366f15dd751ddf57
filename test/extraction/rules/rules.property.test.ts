import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import { rulesExtractor } from '../../../src/extraction/rules/rules-extractor.ts';
import type { EpisodeText } from '../../../src/ports.ts';
import { runs } from '../../support/effort.ts';
import { readEpisode, readFacts, REFERENCE } from './read.ts';

/** Pieces of what the rules look for, in any order. */
const piece = fc.oneof(
  fc.constantFrom(
    'A',
    '[[a|B]]',
    '[[',
    ']]',
    ' -[R]-> ',
    ' <-[R]- ',
    '-[!x]->',
    ': ',
    '"',
    '`',
    '```',
    '\n',
    '\r\n',
    '- ',
    '# ',
    '> ',
    '    ',
    '\t',
    '|',
  ),
  fc.constantFrom(
    'since March 2024',
    'until last Friday',
    'from 2020 to ',
    '[valid_at:: 2024]',
    '[k:: v]',
    ' ^f-1',
    'x(user): ',
    '(system): ',
    'I',
    '\\',
    '{"',
    '<!--',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const body = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

it('S3-28 whatever a text says, what the rules read of it is valid, and the same each time', async () => {
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('text', 'message'), fc.option(fc.string(), { nil: undefined }), async (text, source, name) => {
      const given = { source, ...(name === undefined ? {} : { name }) } as const;
      const first = await readEpisode(text, given);
      expect(await readEpisode(text, given)).toEqual(first);
      expect(first.unknownRefs).toEqual([]);
      const refs = new Set(first.nodes.map(({ tmp_ref }) => tmp_ref));
      for (const edge of first.edges) expect(refs.has(edge.source_ref) && refs.has(edge.target_ref)).toBe(true);
    }),
    { numRuns: runs(1500) },
  );
});

it('S3-28 whatever JSON says, what the rules read of it is valid or refused for good', async () => {
  const key = fc.constantFrom(
    'name',
    'subject',
    'relation',
    'object',
    'nodes',
    'edges',
    'fact',
    'valid_at',
    'uuid',
    '__proto__',
    'x',
    'qualifiers',
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constantFrom('[[A]]', 'A -[R]-> B'),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries) as unknown),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (json) => {
      const text = JSON.stringify(json);
      const read = await readEpisode(text, { source: 'json' }).catch((error: unknown) => error);
      // Only an extraction of the caller's own can be wrong, or two ids of one name.
      const mayBeWrong = read instanceof RouxError && /"(nodes|uuid)":/.test(text);
      expect(mayBeWrong || !(read instanceof Error), text).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

it('S3-30 an arrow line between any two names is read as it was written', async () => {
  const name = fc
    .string({ minLength: 1, maxLength: 40 })
    .filter((text) => text.trim() !== '' && !/["\\\p{C}]/u.test(text) && text === text.trim() && !/\s\s/.test(text));
  await fc.assert(
    fc.asyncProperty(name, name, async (a, b) => {
      expect((await readFacts(`"${a}" -[KNOWS]-> "${b}": x`)).length, `${a} ${b}`).toBe(1);
      const { nodes } = await readEpisode(`"${a}" -[KNOWS]-> "${b}": x`);
      expect([a, b]).toEqual(expect.arrayContaining(nodes.map((node) => node.name)));
    }),
    { numRuns: runs(500) },
  );
});

const MIB = 1024 * 1024;

it('S3-49 a body of 1 MiB takes time in line with its length, whatever is in it', async () => {
  const extract = (text: string, source: EpisodeText['source']) =>
    rulesExtractor().extract(
      { uuid: 'u', groupId: 'g', source, body: text, referenceTime: REFERENCE, name: 'N' },
      new AbortController().signal,
    );
  const lines = [
    'a',
    '[[',
    '[[a]]',
    '-[',
    'A -[R]-> ',
    '"',
    '`',
    ' since ',
    'since March 2024 ',
    '\n- ',
    '> ',
    ' ',
    '(',
    'a(user): b\n',
    '^a ',
    '-[x]-> since 2020 and ',
    `A -[x]-> B${' '.repeat(7000)}x\n`,
    `- R [[b]]: ${']'.repeat(7900)}\n`,
    `x -[r]-> y: ${'from 1 May 2020 to '.repeat(400)}\n`,
    `${'**'.repeat(4000)}\n`,
    `- A [[b]]: ${'[a:: b] '.repeat(900)}\n`,
    `x -[r]-> ${'('.repeat(4000)}${')'.repeat(4000)}\n`,
    `x -[r]-> y: from ${'one '.repeat(2000)}\n`,
  ];
  for (const line of lines) {
    for (const source of ['text', 'message'] as const) {
      const before = process.cpuUsage();
      await extract(line.repeat(Math.ceil(MIB / line.length)).slice(0, MIB), source).catch(() => null);
      const { user } = process.cpuUsage(before);
      // A tenth of it where the machine is at rest; what grows with the square takes minutes.
      expect(user / 1000, JSON.stringify(line.slice(0, 30))).toBeLessThan(6000);
    }
  }
});

it('S3-49 an episode with more facts or entities than one may have is refused for good, and says what to do', async () => {
  const many = Array.from({ length: 5001 }, (_, index) => `A -[R]-> B: ${index}`).join('\n');
  await expect(readEpisode(many)).rejects.toMatchObject({
    code: 'TOO_LARGE',
    details: { retryable: false },
    message: expect.stringContaining('divide') as string,
  });
  const links = Array.from({ length: 5001 }, (_, index) => `[[n${index}]]`).join(' ');
  await expect(readEpisode(links)).rejects.toMatchObject({ code: 'TOO_LARGE', details: { retryable: false } });
  const { edges } = await readEpisode(many.split('\n').slice(0, 5000).join('\n'));
  expect(edges).toHaveLength(5000);
});

it('reading ends when it is cancelled', async () => {
  const stop = new AbortController();
  const many = Array.from({ length: 4000 }, (_, index) => `A -[R]-> B: ${index} since last Friday`).join('\n');
  const reading = rulesExtractor().extract({ uuid: 'u', groupId: 'g', source: 'text', body: many, referenceTime: REFERENCE }, stop.signal);
  setImmediate(() => stop.abort());
  await expect(reading).rejects.toMatchObject({ code: 'CANCELLED', details: { retryable: true } });
});

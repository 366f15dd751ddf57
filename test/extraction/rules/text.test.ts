import { expect, it } from 'vitest';
import { readEpisode, readFacts, readNames } from './read.ts';

it('S3-30 an arrow line is a fact: names as they stand, in quotes, or links, with text, fields and dates', async () => {
  expect(await readFacts('Alice -[WORKS_AT]-> Acme: Alice cooks at Acme.')).toEqual(['Alice WORKS_AT Acme | Alice cooks at Acme.']);
  expect(await readFacts('- Alice -[LIKES]-> Tea')).toEqual(['Alice LIKES Tea | Alice LIKES Tea']);
  expect(await readFacts('[[alice|Alice]] -[LIKES]-> [[drinks/Tea.md]] ^f-01j')).toEqual(['Alice LIKES Tea | Alice LIKES Tea']);
  expect(await readFacts('"Acme: A -[x]-> B" -[OWNS]-> “Tea \\"and\\" co”: yes')).toEqual(['Acme: A -[x]-> B OWNS Tea "and" co | yes']);
  expect(await readFacts('(Alice)-[:KNOWS]->(Bob)')).toEqual(['Alice KNOWS Bob | Alice KNOWS Bob']);
  expect(await readFacts('A <-[OWNS]- B -[SELLS]-> C: text')).toEqual(['B OWNS A | text', 'B SELLS C | text']);
  expect(await readFacts('A -[R]-> B: t [valid_at:: 2024-01-01] [invalid_at:: 2024-06] [role:: cook] [created_at:: 2026-01-01]')).toEqual([
    'A R B | t | 2024-01-01..2024-06-01 | {"role":"cook"}',
  ]);
  expect(await readFacts('Alice -[LIVES_IN]-> Paris since 2020.')).toEqual([
    'Alice LIVES_IN Paris | Alice LIVES_IN Paris since 2020. | 2020-01-01..',
  ]);
  expect(await readFacts('A -[R]-> B (from 2020 to 2022)')).toEqual(['A R B | A R B (from 2020 to 2022) | 2020-01-01..2022-01-01']);
  expect(await readFacts('A -[R]-> B: t [valid_at:: soon]')).toEqual(['A R B | t [valid_at:: soon]']);
});

it('S3-30 a relation with "!" or "not" before it is negated', async () => {
  expect(await readFacts('A -[!R]-> B')).toEqual(['A !R B | A not R B']);
  expect(await readFacts('A -[not R]-> B: no')).toEqual(['A !R B | no']);
  expect(await readFacts('A -[NOTES]-> B')).toEqual(['A NOTES B | A NOTES B']);
  expect(await readFacts('A -[R]-> B: t [negated:: true]')).toEqual(['A !R B | t']);
  expect(await readFacts('- !WORKS_AT [[Acme]]', { name: 'Alice' })).toEqual(['Alice !WORKS_AT Acme | Alice not WORKS_AT Acme']);
});

it('S3-30 what is no arrow line stays prose', async () => {
  for (const line of [
    'a -> b',
    'A -[]-> B',
    'A -[R]- B',
    'A <-[R]-> B',
    '-[R]-> B',
    'A -[R]->',
    '`A -[R]-> B`',
    '| A -[R]-> B |',
    '# A -[R]-> B',
  ])
    expect(await readFacts(line), line).toEqual([]);
  expect(await readFacts(`${'x'.repeat(300)} -[R]-> B`)).toEqual([]);
});

it('S3-30 a relation line speaks of the link above it, else of the episode, else of the heading of the first level', async () => {
  const line = '- WORKS_AT [[acme|Acme]]: Works there. [valid_at:: 2024-01-01T00:00:00.000Z] [episode:: [[ep-standup]]] ^f-01jabc';
  const fact = 'WORKS_AT Acme | Works there. | 2024-01-01..';
  expect(await readFacts(line)).toEqual([]);
  expect(await readFacts(line, { name: 'Alice' })).toEqual([`Alice ${fact}`]);
  expect(await readFacts(`# Alice\n\n## Relations\n\n${line}`)).toEqual([`Alice ${fact}`]);
  expect(await readFacts(`# Minutes\n\n## [[Bob]]\n\n${line}`, { name: 'Alice' })).toEqual([`Bob ${fact}`]);
  expect(await readFacts(`- [[Carol]]:\n  ${line}\n${line}`, { name: 'Alice' })).toEqual([`Carol ${fact}`, `Alice ${fact}`]);
});

it('S3-30 below "Relations" every line of the grammar is a fact, elsewhere what says more than a word before a link', async () => {
  const given = { name: 'Alice' };
  expect(await readFacts('- likes [[Tea]]\n- see [[Tea]]', given)).toEqual([]);
  expect(await readFacts('## Relations\n\n- likes [[Tea]]', given)).toEqual(['Alice likes Tea | Alice likes Tea']);
  expect(await readFacts('- likes [[Tea]]: a lot', given)).toEqual(['Alice likes Tea | a lot']);
  expect(await readFacts('- 勤務 [[Acme]]', given)).toEqual(['Alice 勤務 Acme | Alice 勤務 Acme']);
  expect(await readFacts('WORKS_AT [[Acme]]', given)).toEqual([]);
  expect(await readFacts('- WAS_AT [[Acme]]: once [expired_at:: 2026-01-01T00:00:00.000Z]', given)).toEqual([]);
});

it('S3-30 a wikilink is an entity and no fact, however many stand together; files and headings are none', async () => {
  const body =
    '## With [[bob-1a2b3c4d|Bob!]] and [[Alice|her]]\n\nsaw [[acme|the firm]], [[Node.js]], [[Tea#Green]], ![[x.png]], ![[Cup]], [[plan.pdf]], [[#Here]], `[[Code]]`';
  expect(await readEpisode(body)).toMatchObject({ edges: [] });
  expect(await readNames(body)).toEqual(['Bob!', 'Alice', 'acme', 'Node.js', 'Tea']);
  expect(await readNames('[[bob-1a2b3c4d|Bob]] [[acme-corp|Acme Corp]]')).toEqual(['Bob', 'Acme Corp']);
});

it('S3-30 code says nothing, unless it is the whole of the episode', async () => {
  const fact = 'A -[R]-> B';
  for (const body of [
    `text\n\n\`\`\`\n${fact}\n\`\`\``,
    `x\n\n    ${fact}`,
    `~~~\n${fact}\n~~~\n\nx`,
    `- x\n\n  \`\`\`\n  ${fact}\n  \`\`\``,
    `> \`\`\`\n> ${fact}\n> \`\`\``,
  ])
    expect(await readFacts(body), body).toEqual([]);
  for (const body of [`\`\`\`\n${fact}\n\`\`\``, `\n~~~text\r\n${fact}\r\n~~~\r\n`, `\`\`\`\n${fact}\n\`\`\`\n`])
    expect(await readFacts(body), body).toHaveLength(1);
  expect(await readFacts(`\`\`\`\n${fact}`)).toEqual([]);
  expect(await readFacts('```json\n{"subject":"A","relation":"R","object":"B"}\n```')).toEqual(['A R B | A R B']);
});

it('S3-30 line ends, quotes, lists and scripts of every kind are read alike', async () => {
  const fact = ['A R B | t'];
  for (const line of [
    'A -[R]-> B: t\r\n',
    '> A -[R]-> B: t',
    '* A -[R]-> B: t',
    '1. A -[R]-> B: t',
    '- [ ] A -[R]-> B: t',
    '\ufeffA -[R]-> B: t',
    '**A** -[R]-> *B*: t',
  ])
    expect(await readFacts(line), JSON.stringify(line)).toEqual(fact);
  expect(await readFacts('アリス -[勤務]-> 株式会社　東京：エンジニア\r\n李雷 -[认识]-> 韩梅梅')).toEqual([
    'アリス 勤務 株式会社 東京 | エンジニア',
    '李雷 认识 韩梅梅 | 李雷 认识 韩梅梅',
  ]);
  expect(await readFacts('👩‍🚀 -[KNOWS]-> Zoë')).toEqual(['👩‍🚀 KNOWS Zoë | 👩‍🚀 KNOWS Zoë']);
});

it('S3-07 an entity is one, whatever the form of its name; a fact that is said twice in one episode is one', async () => {
  const body = 'Alice -[KNOWS]-> Bob\nALICE  -[KNOWS]-> ｂｏｂ: more\nAlice -[KNOWS]-> Bob';
  expect(await readNames(body)).toEqual(['Alice', 'Bob']);
  expect(await readFacts(body)).toEqual(['Alice KNOWS Bob | Alice KNOWS Bob', 'Alice KNOWS Bob | more']);
});

it('S3-09 messages: who speaks is an entity, "I" and "me", and whom relation lines are about', async () => {
  const body =
    'Alice(user): I -[LIKES]-> Tea\nand more\n- DRINKS [[Milk]]: daily\nBot (assistant): Alice -[!TRUSTS]-> me\n(system): I -[AM]-> nobody\nuser(Carol): I -[KNOW]-> Bot';
  expect(await readFacts(body, { source: 'message' })).toEqual([
    'Alice LIKES Tea | Alice LIKES Tea',
    'Alice DRINKS Milk | daily',
    'Alice !TRUSTS Bot | Alice not TRUSTS Bot',
    'Carol KNOW Bot | Carol KNOW Bot',
  ]);
  expect(await readNames('Alice(user): hello', { source: 'message' })).toEqual(['Alice']);
  expect(await readNames('Alice(user): hello')).toEqual([]);
});

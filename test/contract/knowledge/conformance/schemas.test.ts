import { describe, expect, it } from 'vitest';
import { doorsOf, search, settle, stating, withDoor } from './doors.ts';

const AT = '2026-01-01T00:00:00.000Z';
const MESSAGE = { role_type: 'user', content: 'Alice -[LIKES]-> Tea: Alice likes tea.', timestamp: AT };
const ITEM = { source: 'text', body: 'Alice -[LIKES]-> Tea: Alice likes tea.', reference_time: AT };

/** Of each operation an input that is right, and what makes it wrong: a field to set, and its value; undefined takes it away. */
const SCHEMAS: Readonly<Record<string, { readonly right: Record<string, unknown>; readonly wrong: readonly Record<string, unknown>[] }>> = {
  Healthcheck: { right: {}, wrong: [{ verbose: true }] },
  AddMessages: {
    right: { group_id: 'g', messages: [MESSAGE] },
    wrong: [
      { group_id: undefined },
      { group_id: 7 },
      { messages: undefined },
      { messages: [] },
      { messages: 'hello' },
      { messages: [{ ...MESSAGE, role_type: 'robot' }] },
      { messages: [{ ...MESSAGE, content: undefined }] },
      { messages: [{ ...MESSAGE, timestamp: undefined }] },
      { messages: [{ ...MESSAGE, timestamp: '2026-01-01T00:00:00+01:00' }] },
      { messages: [{ ...MESSAGE, uuid: '../up' }] },
      { messages: [{ ...MESSAGE, mood: 'fine' }] },
    ],
  },
  AddEpisodes: {
    right: { group_id: 'g', items: [ITEM] },
    wrong: [
      { group_id: undefined },
      { items: [] },
      { items: [{ ...ITEM, source: 'html' }] },
      { items: [{ ...ITEM, body: undefined }] },
      { items: [{ ...ITEM, body: '' }] },
      { items: [{ ...ITEM, source: 'json', body: '{"a": ' }] },
      { items: [{ ...ITEM, reference_time: '2026-01' }] },
      { items: [{ ...ITEM, reference_time: '2026-01-01T00:00:00' }] },
      { items: [{ ...ITEM, reference_time: '2026-02-30T00:00:00Z' }] },
      { items: [{ ...ITEM, tags: [] }] },
      { items: [{ ...ITEM, extraction: { nodes: [] } }] },
      { items: [{ ...ITEM, extraction: { nodes: [{ name: 'A', colour: 'red' }], edges: [] } }] },
    ],
  },
  AddEntityNode: {
    right: { uuid: 'e-1', group_id: 'g', name: 'Zoe' },
    wrong: [
      { uuid: undefined },
      { uuid: '' },
      { uuid: 'a/b' },
      { group_id: undefined },
      { name: undefined },
      { name: ' ' },
      { attributes: [] },
      { kind: 'person' },
    ],
  },
  SearchFacts: {
    right: { group_ids: ['g'], query: 'tea' },
    wrong: [
      { group_ids: undefined },
      { group_ids: [] },
      { group_ids: 'a/b' },
      { query: undefined },
      { query: '' },
      { max_facts: 0 },
      { max_facts: -1 },
      { max_facts: 1.5 },
      { as_of: 'yesterday' },
      { as_of: { at: AT } },
      { limit: 3 },
    ],
  },
  GetEntityEdge: { right: { uuid: 'f-1' }, wrong: [{ uuid: undefined }, { uuid: '' }, { uuid: null }, { id: 'f-1' }] },
  GetEpisodes: {
    right: { group_id: 'g', last_n: 3 },
    wrong: [{ group_id: undefined }, { last_n: undefined }, { last_n: 0 }, { last_n: -1 }, { last_n: 'many' }, { offset: 1 }],
  },
  GetMemory: {
    right: { group_id: 'g', messages: [MESSAGE] },
    wrong: [{ group_id: undefined }, { messages: [] }, { messages: [{ content: 'x' }] }, { max_facts: 0 }, { query: 'x' }],
  },
  DeleteEntityEdge: { right: { uuid: 'f-1' }, wrong: [{ uuid: undefined }, { force: true }] },
  DeleteEpisode: { right: { uuid: 'ep-1' }, wrong: [{ uuid: undefined }, { cascade: 'some' }, { force: true }] },
  DeleteGroup: {
    right: { group_id: 'nobody' },
    wrong: [{ group_id: undefined }, { group_id: '..' }, { group_id: '' }, { recursive: true }],
  },
  GetReceipt: { right: { group_id: 'g' }, wrong: [{ group_id: undefined }, { receipt_id: '' }, { state: 'parked' }] },
  RetryParked: { right: { group_id: 'g' }, wrong: [{ group_id: undefined }, { uuids: 'all' }, { force: true }] },
  ClearAll: { right: { dry_run: true }, wrong: [{ dry_run: 'perhaps' }, { confirm: true }] },
};

describe.each(doorsOf(1))('conformance of schemas, over %s', (kind) => {
  it('S3-01 S3-02 S3-03 each operation takes what its schema says, and refuses anything else with the field', () =>
    withDoor(kind, {}, async ({ send }, vault) => {
      for (const [name, { right, wrong }] of Object.entries(SCHEMAS)) {
        for (const [at, change] of wrong.entries()) {
          const answer = await send(name, { request_id: `r${at}`, input: { ...right, ...change } });
          expect(answer, `${name} ${JSON.stringify(change)}`).toMatchObject({
            request_id: `r${at}`,
            status: 'ERROR',
            error: { error_code: 'INVALID_ARGUMENT' },
          });
          expect(answer.output).toBeUndefined();
        }
        const unknown = await send(name, { input: right, inputs: right });
        expect(unknown.error, name).toMatchObject({ error_code: 'INVALID_ARGUMENT', message: expect.stringContaining('inputs') });
        expect((await send(name, {})).error?.error_code, name).toBe('INVALID_ARGUMENT');
      }
      expect(vault.files()).toEqual([]);
      for (const [name, { right }] of Object.entries(SCHEMAS)) {
        const { status, error } = await send(name, { input: right });
        // There is no such fact yet.
        const answered = name === 'GetEntityEdge' ? 'NOT_FOUND' : /^Add(Messages|Episodes)$/.test(name) ? 'ACCEPTED' : 'OK';
        expect(error?.error_code ?? status, name).toBe(answered);
      }
    }));

  it('S3-01 a request id is made where none is given, and given back where one is', () =>
    withDoor(kind, {}, async ({ send }) => {
      const [one, two] = [await send('Healthcheck', { input: {} }), await send('Healthcheck', { input: {} })];
      expect(one.request_id).not.toBe(two.request_id);
      expect(one.request_id).toMatch(/\S{8,}/);
      expect((await send('Healthcheck', { request_id: 'mine', input: {} })).request_id).toBe('mine');
      for (const request_id of ['', 7, {}, 'x'.repeat(300)])
        expect((await send('Healthcheck', { request_id, input: {} })).error?.error_code).toBe('INVALID_ARGUMENT');
    }));

  it('S3-04 S3-05 S3-06 S3-09 S3-10 S3-14 episodes, entities and facts have the shape of the document', () =>
    withDoor(kind, {}, async (door) => {
      expect(await door.ok('AddMessages', { group_id: 'g', messages: [{ ...MESSAGE, role: 'Ann', uuid: 'm-1', name: 'Tea' }] })).toEqual({
        message: expect.any(String),
        accepted: 1,
        receipt_id: expect.any(String),
        read: { facts: 1, superseded: 0, contradicted: 0, statements: 0 },
      });
      await settle(door, 'g', [{ ...ITEM, uuid: 'i-1', reference_time: '2025-06-01T00:00:00Z', source_description: 'a letter' }]);
      await settle(door, 'g', [{ ...ITEM, uuid: 'later', reference_time: '2125-01-01T00:00:00Z' }]);
      const episode = { group_id: 'g', created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) };
      // The oldest first; what is said in the future is not told yet.
      expect((await door.ok('GetEpisodes', { group_id: 'g', last_n: 5 })).episodes).toEqual([
        {
          ...episode,
          uuid: 'i-1',
          body: ITEM.body,
          source: 'text',
          source_description: 'a letter',
          reference_time: '2025-06-01T00:00:00.000Z',
        },
        { ...episode, uuid: 'm-1', name: 'Tea', body: `Ann(user): ${MESSAGE.content}`, source: 'message', reference_time: AT },
      ]);
      expect((await door.ok('GetEpisodes', { group_id: 'g', last_n: 1 })).episodes).toMatchObject([{ uuid: 'm-1' }]);
      const [fact] = await search(door, 'g', 'tea');
      expect(fact).toEqual({
        uuid: expect.stringMatching(/^f-/),
        name: 'LIKES',
        fact: 'Alice likes tea.',
        created_at: episode.created_at,
        source_node_uuid: expect.any(String),
        target_node_uuid: expect.any(String),
        source_node_name: 'Alice',
        target_node_name: 'Tea',
        episodes: expect.arrayContaining(['m-1', 'i-1']),
        // Beyond the document (K-18).
        _age_days: expect.any(Number),
      });
      expect(await door.ok('GetEntityEdge', { uuid: fact.uuid })).toMatchObject({ ...fact, _age_days: expect.any(Number) });
      expect(await search(door, 'other', 'tea')).toEqual([]);
    }));

  it('S3-07 S3-11 S3-35 an entity is made once, and updated under its uuid; its name belongs to it alone', () =>
    withDoor(kind, {}, async (door) => {
      const made = await door.ok('AddEntityNode', {
        uuid: 'e-1',
        group_id: 'g',
        name: 'Ada  Lovelace',
        summary: 'one',
        attributes: { born: 1815 },
      });
      expect(made).toEqual({
        uuid: 'e-1',
        group_id: 'g',
        name: 'Ada Lovelace',
        summary: 'one',
        attributes: { born: 1815 },
        created_at: expect.any(String),
      });
      const updated = await door.ok('AddEntityNode', { uuid: 'e-1', group_id: 'g', name: 'ada lovelace', summary: 'two' });
      expect(updated).toMatchObject({ uuid: 'e-1', summary: 'two', attributes: { born: 1815 }, created_at: made.created_at });
      expect(await door.refused('AddEntityNode', { uuid: 'e-2', group_id: 'g', name: 'ADA\tLOVELACE' })).toBe('CONFLICT');
      expect(await door.refused('AddEntityNode', { uuid: 'e-1', group_id: 'g', name: 'Somebody else' })).toBe('CONFLICT');
      expect(await door.ok('AddEntityNode', { uuid: 'e-1', group_id: 'h', name: 'Ada Lovelace' })).toMatchObject({ group_id: 'h' });
      // A fact finds the entity by its name, as names are compared.
      await settle(door, 'g', [
        stating([{ source: '\u00a0ＡＤＡ lovelace', name: 'WROTE', target: 'Notes', fact: 'Ada wrote the notes.' }]),
      ]);
      expect(await search(door, 'g', 'wrote')).toMatchObject([{ source_node_uuid: 'e-1' }]);
    }));

  it('S3-49 S3-47 what is larger than its limit is refused and nothing of it is kept; nothing is cut', () =>
    withDoor(kind, {}, async (door, vault) => {
      const add = (items: readonly unknown[]) => door.refused('AddEpisodes', { group_id: 'g', items });
      expect(await add(Array.from({ length: 101 }, (_, at) => ({ ...ITEM, body: `${at}` })))).toBe('LIMIT_EXCEEDED');
      expect(await add([{ ...ITEM, body: 'x'.repeat(1_048_577) }])).toBe('LIMIT_EXCEEDED');
      expect(await add([{ ...ITEM, name: 'n'.repeat(257) }])).toBe('LIMIT_EXCEEDED');
      const entity = { uuid: 'e-1', group_id: 'g', name: 'A' };
      expect(await door.refused('AddEntityNode', { ...entity, name: 'n'.repeat(257) })).toBe('LIMIT_EXCEEDED');
      expect(await door.refused('AddEntityNode', { ...entity, summary: 's'.repeat(4001) })).toBe('LIMIT_EXCEEDED');
      expect(await door.refused('AddEntityNode', { ...entity, attributes: { a: 'x'.repeat(16_384) } })).toBe('LIMIT_EXCEEDED');
      expect(await door.refused('SearchFacts', { group_ids: ['g'], query: 'x', max_facts: 101 })).toBe('LIMIT_EXCEEDED');
      expect(vault.files()).toEqual([]);
      const long = 'f'.repeat(2000);
      expect(await settle(door, 'g', [stating([{ name: 'R', target: 'B', fact: long }])])).toMatchObject([{ state: 'completed' }]);
      expect((await search(door, 'g', 'Alice'))[0].fact).toBe(long);
      expect(await add([stating([{ name: 'R', target: 'C', fact: `${long}f` }])])).toBe('LIMIT_EXCEEDED');
      const [parked] = await settle(door, 'g', [{ ...ITEM, body: `Alice -[R]-> C: ${long}f` }]);
      expect(parked).toMatchObject({ state: 'parked', error: { code: expect.any(String) } });
      expect(await search(door, 'g', 'Alice', { max_facts: 100 })).toHaveLength(1);
    }));

  it('S3-33 a full queue refuses at once, and takes nothing of the call', () =>
    withDoor(kind, { vault: { '.rouxrc.json': '{"knowledge": {"queue": 2}}' } }, async (door, vault) => {
      const items = ['a', 'b', 'c'].map((body) => ({ ...ITEM, body }));
      const { error } = await door.send('AddEpisodes', { input: { group_id: 'g', items } });
      expect(error).toMatchObject({ error_code: 'LIMIT_EXCEEDED', details: { retryable: true } });
      expect(vault.files()).toEqual(['.rouxrc.json']);
      expect(await settle(door, 'g', items.slice(1))).toHaveLength(2);
    }));
});

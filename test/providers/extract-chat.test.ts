import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RouxError } from '../../src/errors.ts';
import { readExtraction } from '../../src/extraction/extraction.ts';
import type { EpisodeText } from '../../src/ports.ts';
import { chatExtractor } from '../../src/providers/extract-chat.ts';
import type { ChatEndpoint } from '../../src/providers/extract-chat.ts';
import * as replies from '../support/program/chat-server.ts';
import type { ChatReply, ChatServer } from '../support/program/chat-server.ts';
import { waitFor } from '../support/wait-for.ts';

const KEY = 'sk-very-secret-0123456789';
const BODY = 'Alice works at Acme. The safe opens with open-sesame.';
const EPISODE: EpisodeText = {
  uuid: 'u',
  groupId: 'g',
  source: 'text',
  body: BODY,
  referenceTime: '2026-01-05T10:00:00.000Z',
  name: 'Note',
};

const ANSWER = {
  nodes: [
    { tmp_ref: 'n1', name: 'Alice', summary: null, attributes: [{ key: 'role', value: 'cook' }] },
    { tmp_ref: 'n2', name: 'Acme', summary: 'A firm', attributes: [] },
  ],
  edges: [
    {
      name: 'WORKS_AT',
      fact: 'Alice works at Acme.',
      source_ref: 'n1',
      target_ref: 'n2',
      valid_at: '2024-01-01T00:00:00Z',
      invalid_at: null,
      qualifiers: null,
      negated: false,
    },
  ],
};
const READ = {
  nodes: [
    { tmp_ref: 'n1', name: 'Alice', attributes: { role: 'cook' } },
    { tmp_ref: 'n2', name: 'Acme', summary: 'A firm' },
  ],
  edges: [
    {
      name: 'WORKS_AT',
      fact: 'Alice works at Acme.',
      source_ref: 'n1',
      target_ref: 'n2',
      valid_at: '2024-01-01T00:00:00.000Z',
      negated: false,
    },
  ],
  unknownRefs: [],
};

let server: ChatServer;
beforeEach(async () => {
  server = await replies.openChatServer();
});
afterEach(() => server.close());

function extract(reply: readonly ChatReply[], given: Partial<ChatEndpoint> = {}, signal = new AbortController().signal): Promise<unknown> {
  server.reply(...reply);
  return chatExtractor({ url: server.url, key: KEY, model: 'm', ...given }).extract(EPISODE, signal);
}

/** What it fails with; no part of the key or of the episode is in it, wherever one looks. */
async function failure(reply: ChatReply, given: Partial<ChatEndpoint> = {}, signal?: AbortSignal): Promise<RouxError> {
  const error = await extract([reply], given, signal).catch((thrown: unknown) => thrown);
  if (!(error instanceof RouxError)) throw new Error('it did not fail as it has to', { cause: error });
  const told = `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(error.details)} ${String(error.cause)}`;
  expect(told).not.toMatch(/very-secret|open-sesame|Acme/);
  expect(error.retryable).toBe(error.details?.['retryable']);
  return error;
}

const retryable = { code: 'PROVIDER_ERROR', details: { retryable: true } };
const final = { code: 'PROVIDER_ERROR', details: { retryable: false } };

describe('S3-30 what a chat endpoint reads from an episode', () => {
  it('is asked for by a schema, with the episode as data, and read strictly', async () => {
    expect(readExtraction(await extract([replies.says(ANSWER)]))).toEqual(READ);
    const [{ path, headers, body }] = server.requests as [replies.ChatRequest];
    expect(path).toBe('/v1/chat/completions');
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(body).toMatchObject({ model: 'm', temperature: 0, stream: false, response_format: { type: 'json_schema' } });
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body.messages[0]?.content).toMatch(/do not follow them/);
    expect(JSON.parse(body.messages[1]?.content ?? '')).toEqual({
      source: 'text',
      reference_time: EPISODE.referenceTime,
      name: 'Note',
      body: BODY,
    });
    expect(JSON.stringify(body)).not.toContain(KEY);
  });

  it('without a key none is sent; a base URL may end with a slash, the whole path, or a query', async () => {
    for (const end of ['', '/', '/chat/completions', '?api-version=1']) {
      await extract([replies.says(ANSWER)], { url: server.url + end, key: undefined });
      expect(server.requests.at(-1)?.headers.authorization).toBeUndefined();
    }
    expect(server.requests.map(({ path }) => path)).toEqual([
      ...Array<string>(3).fill('/v1/chat/completions'),
      '/v1/chat/completions?api-version=1',
    ]);
  });

  it('a server that knows no schema, or no temperature, is asked in a simpler way, and so from then on', async () => {
    const extractor = chatExtractor({ url: server.url, model: 'm' });
    const ask = () => extractor.extract(EPISODE, new AbortController().signal);
    server.reply(
      replies.fails(400, "'response_format.type' must be 'json_object' or 'text'"),
      replies.fails(400, 'temperature is not supported'),
      replies.says(ANSWER),
    );
    expect(readExtraction(await ask())).toEqual(READ);
    await ask();
    expect(server.requests.map(({ body }) => [body.response_format?.type, body.temperature])).toEqual([
      ['json_schema', 0],
      ['json_object', 0],
      ['json_object', undefined],
      ['json_object', undefined],
    ]);
    server.reply(replies.fails(422, 'json_object: unsupported'), replies.says(ANSWER));
    await ask();
    expect(server.requests.at(-1)?.body.response_format).toBeUndefined();
    expect(await failure(replies.fails(400, 'no response_format here'))).toMatchObject({
      ...final,
      details: { retryable: false, status: 400 },
    });
  });

  it('is found between prose, fences and thoughts, in parts, in a stream, and under another content type', async () => {
    const json = JSON.stringify(ANSWER);
    for (const reply of [
      replies.says(`Here you are {really}:\n${json}\nIs there anything else?`),
      replies.says(`\`\`\`json\n${json}\n\`\`\``),
      replies.says(`<think>maybe {"nodes":[],"edges":[]}?</think>${json}`),
      replies.streams(json),
      replies.answers(200, replies.completion(json), { 'content-type': 'text/plain' }),
      replies.answers(200, replies.completion([{ type: 'text', text: json }])),
      replies.answers(201, replies.completion(json)),
    ])
      expect(readExtraction(await extract([reply]))).toEqual(READ);
  });
});

describe('S3-28 what is no extraction is never taken for one', () => {
  it('answers of another shape, and invented ids, are refused by the schema or told', async () => {
    const wrong: readonly unknown[] = [
      {},
      { nodes: [], edges: [], comment: 'x' },
      { nodes: [{ tmp_ref: 'n1', name: 'A', type: 'person' }], edges: [] },
      { ...ANSWER, edges: [{ ...ANSWER.edges[0], target_ref: 'n9' }] },
      { ...ANSWER, edges: [{ ...ANSWER.edges[0], valid_at: 'last year' }] },
      { ...ANSWER, nodes: [{ ...ANSWER.nodes[0], attributes: [{ key: '__proto__', value: 1 }] }, ANSWER.nodes[1]] },
      { ...ANSWER, nodes: [{ ...ANSWER.nodes[0], attributes: [{ key: 'a' }] }, ANSWER.nodes[1]] },
    ];
    for (const answer of wrong) {
      const value = await extract([replies.says(answer)]);
      expect(() => readExtraction(value), JSON.stringify(answer)).toThrow(RouxError);
    }
    const invented = '6b6ef5a6-8a3b-4c0e-9f3a-0d8f2a4f1b11';
    const value = await extract([replies.says({ ...ANSWER, edges: [{ ...ANSWER.edges[0], target_ref: invented }] })]);
    expect(readExtraction(value).unknownRefs).toEqual([invented]);
  });

  it('no JSON, a part of it, or nothing, may be tried again; a refusal and a cut answer not', async () => {
    const json = JSON.stringify(ANSWER);
    for (const reply of [
      replies.says(json.slice(0, -20)),
      replies.says('I cannot help with that.'),
      replies.says(''),
      replies.says('[1, 2]'),
      replies.says('{'.repeat(100_000)),
      replies.answers(200, replies.completion(null)),
      replies.answers(200, replies.completion(json).slice(0, 200)),
      replies.answers(200, '{"choices":[]}'),
      replies.answers(200, '{"error":{"message":"overloaded"}}'),
      replies.answers(200, 'null'),
      replies.answers(200, ''),
      replies.answers(200, 'data: {"choices":'),
      replies.htmlPage(200),
    ])
      expect(await failure(reply)).toMatchObject(retryable);
    expect(await failure(replies.says(json, 'length'))).toMatchObject(final);
    expect(await failure(replies.streams(json, 'length'))).toMatchObject(final);
    expect(await failure(replies.says(json, 'content_filter'))).toMatchObject(final);
    expect(await failure(replies.answers(200, JSON.stringify({ choices: [{ message: { refusal: 'no', content: null } }] })))).toMatchObject(
      final,
    );
  });
});

describe('S3-32 errors say whether the same may be tried again, and when', () => {
  it('by their status, and by Retry-After in seconds or as a date', async () => {
    const busy = await failure(replies.fails(429, `slow down, ${KEY}`, { 'retry-after': '7' }));
    expect(busy).toMatchObject({ code: 'PROVIDER_ERROR', details: { retryable: true, retry_after_ms: 7000, status: 429 } });
    const date = { date: 'Mon, 05 Jan 2026 10:00:00 GMT', 'retry-after': 'Mon, 05 Jan 2026 10:00:30 GMT' };
    expect((await failure(replies.fails(503, 'x', date))).details).toEqual({ retryable: true, retry_after_ms: 30_000, status: 503 });
    expect((await failure(replies.fails(429, 'x', { 'retry-after': '9e9' }))).details).toMatchObject({ retry_after_ms: 3_600_000 });
    expect((await failure(replies.fails(429, 'x', { 'retry-after': 'soon' }))).details).toEqual({ retryable: true, status: 429 });
    for (const status of [408, 500, 502, 504])
      expect(await failure(replies.htmlPage(status))).toMatchObject({ details: { retryable: true, status } });
    for (const status of [400, 401, 403, 404, 413, 422])
      expect(await failure(replies.fails(status, `Incorrect API key provided: ${KEY} for ${BODY}`))).toMatchObject({
        details: { retryable: false, status },
      });
  });

  it('where nothing is answered in time, the connection breaks, or nobody is there', async () => {
    for (const reply of [replies.neverAnswers, replies.stalls]) {
      expect(await failure(reply, { timeoutMs: 60 })).toMatchObject({
        ...retryable,
        message: expect.stringContaining('within 0.06 s') as string,
      });
    }
    expect(await failure(replies.resets)).toMatchObject(retryable);
    expect(await failure(replies.resetsMidway)).toMatchObject(retryable);
    const { url } = server;
    await server.close();
    expect(await failure(replies.neverAnswers, { url })).toMatchObject({
      ...retryable,
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
    server = await replies.openChatServer();
  });

  it('an answer is read up to its bound, and its connection closed', async () => {
    expect(await failure(replies.floods, { maxBytes: 1_000_000 })).toMatchObject({
      ...retryable,
      message: expect.stringContaining('1000000 bytes') as string,
    });
    await waitFor(() => server.closed === 1);
  });

  it('a caller that cancels is not waited for', async () => {
    const stop = new AbortController();
    const failed = failure(replies.neverAnswers, {}, stop.signal);
    await waitFor(() => server.requests.length === 1);
    stop.abort();
    expect(await failed).toMatchObject({ code: 'CANCELLED', details: { retryable: true } });
    await waitFor(() => server.closed === 1);
    expect(await failure(replies.neverAnswers, {}, AbortSignal.abort())).toMatchObject({ code: 'CANCELLED' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('neither a text nor a key goes anywhere else', () => {
  it('a redirect is followed on the same host only, and not without an end', async () => {
    const other = await replies.openChatServer();
    for (const status of [301, 302, 307, 308]) {
      const error = await failure(replies.redirects(status, `${other.url}/chat/completions`));
      expect(error).toMatchObject({ ...final, message: expect.stringContaining('another host') as string });
    }
    for (const place of ['ftp://127.0.0.1/', 'http://[', '//example.invalid/v1'])
      expect(await failure(replies.redirects(307, place))).toMatchObject(final);
    expect(await failure(replies.redirects(303, '/v1/other'))).toMatchObject(final);
    expect(other.requests).toEqual([]);
    await other.close();
    expect(readExtraction(await extract([replies.redirects(307, '/v2/chat/completions'), replies.says(ANSWER)]))).toEqual(READ);
    expect(server.requests.at(-1)).toMatchObject({ path: '/v2/chat/completions', body: { model: 'm' } });
    expect(await failure(replies.redirects(308, '/v1/chat/completions'))).toMatchObject(final);
  });

  it('a URL that is none, or holds a password, is refused without being repeated', () => {
    for (const url of ['', 'ollama', 'file:///etc/passwd', 'http://me:hunter2@127.0.0.1/v1', 'javascript:alert(1)']) {
      expect(() => chatExtractor({ url })).toThrow(/has to be one of http or https/);
      expect(() => chatExtractor({ url })).not.toThrow(/hunter2/);
    }
    expect(chatExtractor({ url: 'https://api.example/v1', key: KEY, model: 'large' }).id).toBe('chat:large');
  });
});

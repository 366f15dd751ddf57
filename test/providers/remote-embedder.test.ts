import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { remoteEmbedder } from '../../src/providers/remote-embedder.ts';
import type { Endpoint } from '../../src/providers/remote-embedder.ts';

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly encoding_format: string };
}

type Respond = (asked: Asked, response: ServerResponse, count: number) => void;

const rows = (input: readonly string[], vector: (text: string) => unknown = () => [3, 4]): unknown[] =>
  input.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) }));
const json = (response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
};
const good: Respond = ({ body }, response) => json(response, { data: rows(body.input) });

/** Runs with an endpoint that answers as the test says; a first answer is always good, since opening asks for one. */
async function withEndpoint<T>(
  respond: Respond,
  run: (embedder: ReturnType<typeof remoteEmbedder>, asked: readonly Asked[]) => Promise<T>,
  { isGoodFirst = true, ...endpoint }: Partial<Endpoint> & { isGoodFirst?: boolean } = {},
): Promise<T> {
  const asked: Asked[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
      const one = { path: request.url ?? '', authorization: request.headers.authorization, body };
      asked.push(one);
      if (isGoodFirst && asked.length === 1) good(one, response, 1);
      else respond(one, response, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await run(remoteEmbedder({ url: `http://127.0.0.1:${port}/v1/`, model: 'm', ...endpoint }), asked);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What the error of an endpoint says that is asked to embed a secret note. */
const failing = (respond: Respond, message: RegExp, endpoint: Partial<Endpoint> = {}): Promise<string> =>
  withEndpoint(
    respond,
    async (source) => {
      const embedder = await source.open();
      await expect(embedder.embed(['secret note'], 'passage')).rejects.toThrow(message);
      return String(await embedder.embed(['secret note'], 'passage').catch((thrown: unknown) => thrown));
    },
    { maxWaitMs: 0, ...endpoint },
  );

describe('an endpoint that embeds', () => {
  it('is asked for batches below its base URL with the key and the model, and nothing is sent before it is opened', () =>
    withEndpoint(
      good,
      async (source, asked) => {
        expect(asked).toEqual([]);
        const embedder = await source.open();
        expect(asked[0]?.body.input).toEqual(['How long is a vector?']);
        expect(embedder.dims).toBe(2);
        const texts = Array.from({ length: 130 }, (_, at) => `text ${at}`);
        const vectors = await embedder.embed(texts, 'passage');
        expect(vectors).toHaveLength(130);
        expect(vectors[0]).toEqual(Float32Array.of(0.6, 0.8));
        expect(asked.slice(1).map(({ body }) => body.input.length)).toEqual([64, 64, 2]);
        expect(asked.slice(1).flatMap(({ body }) => body.input)).toEqual(texts);
        expect(asked[1]).toMatchObject({
          path: '/v1/embeddings',
          authorization: 'Bearer k',
          body: { model: 'm', encoding_format: 'float' },
        });
      },
      { key: 'k' },
    ));

  it('gets no more characters at once than it may take, and the beginning of a text of a megabyte', () =>
    withEndpoint(good, async (source, asked) => {
      const embedder = await source.open();
      await embedder.embed(
        Array.from({ length: 20 }, () => 'x'.repeat(1_000_000)),
        'passage',
      );
      for (const { body } of asked.slice(1)) expect(body.input.join('').length).toBeLessThanOrEqual(100_000);
      expect(asked[1]?.body.input[0]).toHaveLength(8_000);
    }));

  it('may answer in any order, and in base64', () =>
    withEndpoint(
      ({ body }, response) => {
        const encoded = (text: string): string => Buffer.from(Float32Array.of(Number(text), 0).buffer).toString('base64');
        json(response, { data: rows(body.input, (text) => (text.startsWith('-') ? encoded(text) : [0, Number(text)])).toReversed() });
      },
      async (source) => {
        const embedder = await source.open();
        expect(await embedder.embed(['2', '-3', '5'], 'passage')).toEqual([
          Float32Array.of(0, 1),
          Float32Array.of(-1, 0),
          Float32Array.of(0, 1),
        ]);
      },
    ));

  it('that is busy is asked again after as long as it says, with a number or a date', () =>
    withEndpoint(
      (asked, response, count) => {
        if (count === 2) json(response, { error: 'slow down' }, 429, { 'Retry-After': '0.05' });
        else if (count === 3) json(response, {}, 503, { 'Retry-After': new Date(Date.now() - 1000).toUTCString() });
        else good(asked, response, count);
      },
      async (source, asked) => {
        const embedder = await source.open();
        expect(await embedder.embed(['a'], 'passage')).toHaveLength(1);
        expect(asked).toHaveLength(4);
      },
    ));

  it('that wants to be left alone for an hour is not waited for', async () => {
    const hour: Respond = (_, response) => json(response, {}, 429, { 'Retry-After': '3600' });
    expect(await failing(hour, /answered 429/, { maxWaitMs: 60_000 })).toContain('429');
  });

  it.each([
    ['a page of HTML', (_: Asked, response: ServerResponse) => void response.end('<html>secret note</html>'), /no JSON, but a page/],
    ['half of its JSON', (_: Asked, response: ServerResponse) => void response.end('{"data": [{"emb'), /no JSON/],
    ['something else', (_: Asked, response: ServerResponse) => json(response, { error: 'x' }), /without "data"/],
    ['too few vectors', (_: Asked, response: ServerResponse) => json(response, { data: [] }), /0 vectors for 1 texts/],
    ['too many vectors', (_: Asked, response: ServerResponse) => json(response, { data: rows(['a', 'b']) }), /2 vectors for 1 texts/],
    ['a wrong index', (_: Asked, response: ServerResponse) => json(response, { data: [{ index: 7, embedding: [1, 0] }] }), /"index"/],
    [
      'vectors of another size',
      (_: Asked, response: ServerResponse) => json(response, { data: rows(['a'], () => [1, 2, 3]) }),
      /3 numbers, and of 2 before/,
    ],
    ['an empty vector', (_: Asked, response: ServerResponse) => json(response, { data: rows(['a'], () => []) }), /vectors of 0 numbers/],
    ['a vector of zeros', (_: Asked, response: ServerResponse) => json(response, { data: rows(['a'], () => [0, 0]) }), /all zero/],
    [
      'NaN in base64',
      (_: Asked, response: ServerResponse) =>
        json(response, { data: rows(['a'], () => Buffer.from(Float32Array.of(Number.NaN, 1).buffer).toString('base64')) }),
      /NaN/,
    ],
    ['null for a number', (_: Asked, response: ServerResponse) => json(response, { data: rows(['a'], () => [null, 1]) }), /no vector/],
    ['numbers beyond 32 bits', (_: Asked, response: ServerResponse) => json(response, { data: rows(['a'], () => [1e300, 1]) }), /infinite/],
    ['a wrong key', (_: Asked, response: ServerResponse) => json(response, { error: 'secret note' }, 401), /answered 401; look at the key/],
    ['no such model', (_: Asked, response: ServerResponse) => json(response, {}, 404), /answered 404/],
    [
      'a redirection',
      (_: Asked, response: ServerResponse) => json(response, {}, 302, { Location: 'http://example.org/' }),
      /cannot be reached/,
    ],
    ['a broken connection', (_: Asked, response: ServerResponse) => void response.destroy(), /cannot be reached/],
  ])('that answers with %s fails with words that say so, and without the text', async (_, respond, message) => {
    expect(await failing(respond, message)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it('that refuses one text does not stand for one that fails', () =>
    withEndpoint(
      (_, response) => json(response, {}, 400),
      async (source) => {
        const embedder = await source.open();
        await expect(embedder.embed(['a'], 'passage')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      },
    ));

  it('that is slow is given up, or as soon as nobody waits', () =>
    withEndpoint(
      () => undefined,
      async (source) => {
        const embedder = await source.open();
        await expect(embedder.embed(['a'], 'query')).rejects.toThrow('no answer in 1 s');
        const stop = new AbortController();
        const waiting = embedder.embed(['a'], 'query', stop.signal);
        stop.abort(new Error('nobody waits'));
        await expect(waiting).rejects.toThrow('nobody waits');
        await embedder.close();
        await expect(embedder.embed(['a'], 'query')).rejects.toThrow('aborted');
      },
      { timeoutMs: 1_000, maxWaitMs: 0 },
    ));

  it('that is not there says so when it is opened, without its address', async () => {
    let url = '';
    // A port that nobody listens on any more.
    await withEndpoint(good, async (source) => void (url = source.id.split(' ')[0] ?? ''));
    await expect(remoteEmbedder({ url, model: 'm', maxWaitMs: 0 }).open()).rejects.toThrow(
      /^The endpoint that embeds cannot be reached \(ECONNREFUSED\)\.$/,
    );
  });
});

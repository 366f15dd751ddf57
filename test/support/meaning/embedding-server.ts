import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashed } from './hashing-embedder.ts';

/** An endpoint that embeds texts by the hashes of their words, on a free port. */
export interface EmbeddingServer {
  readonly url: string;
  /** The texts that were sent with a key, without the one that a client tries it with. */
  textsOf(key: string): readonly string[];
  close(): void;
}

const DIMS = 64;

export async function openEmbeddingServer(): Promise<EmbeddingServer> {
  const asked: { readonly key: string; readonly text: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: readonly string[] };
      const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
      for (const text of input) if (!text.startsWith('How long is a vector?')) asked.push({ key, text });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [...hashed(text, DIMS)] })) }));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    textsOf: (key) => asked.filter((each) => each.key === key).map(({ text }) => text),
    close: () => void server.close(),
  };
}

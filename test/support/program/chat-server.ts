import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** A request as the server got it. */
export interface ChatRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ChatBody;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly temperature?: number;
  readonly stream?: boolean;
  readonly response_format?: { readonly type: string };
}

/** How one request is answered. */
export type ChatReply = (response: ServerResponse, request: ChatRequest) => void;

export interface ChatServer {
  /** The base URL, as `ROUX_EXTRACT_URL` has it. */
  readonly url: string;
  readonly requests: readonly ChatRequest[];
  /** Requests whose connection the client has closed. */
  readonly closed: number;
  /** The next requests are answered so, one each; the last reply holds for all that follow. */
  reply(...replies: readonly ChatReply[]): void;
  close(): Promise<void>;
}

/** A server on this machine that speaks the protocol of OpenAI's chat completions, and misbehaves as it is told. */
export async function openChatServer(): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  let [replies, closed]: [readonly ChatReply[], number] = [[says('{"nodes":[],"edges":[]}')], 0];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    response.on('close', () => (closed += 1));
    request.on('error', () => undefined);
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as ChatBody;
      const asked = { path: request.url ?? '', headers: request.headers, body };
      requests.push(asked);
      const [reply, ...later] = replies;
      if (later.length > 0) replies = later;
      reply?.(response, asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get closed() {
      return closed;
    },
    reply(...given) {
      replies = given;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A whole chat completion with this text as its message. */
export function completion(content: unknown, finish = 'stop'): string {
  return JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content } }],
  });
}

/** The model says this: a text, or a value as JSON. */
export function says(content: unknown, finish?: string): ChatReply {
  return answers(200, completion(typeof content === 'string' ? content : JSON.stringify(content), finish));
}

/** An answer of any status, body and headers. */
export function answers(status: number, body: string, headers: Readonly<Record<string, string>> = {}): ChatReply {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** An error as OpenAI words it. */
export function fails(status: number, message: string, headers: Readonly<Record<string, string>> = {}): ChatReply {
  return answers(status, JSON.stringify({ error: { message, type: 'invalid_request_error' } }), headers);
}

/** An error page of some proxy, with this status. */
export function htmlPage(status: number): ChatReply {
  return answers(status, '<!doctype html><html><body><h1>Bad gateway</h1></body></html>', { 'content-type': 'text/html; charset=utf-8' });
}

/** No answer, ever. */
export const neverAnswers: ChatReply = () => undefined;

/** The beginning of an answer, and then nothing more. */
export const stalls: ChatReply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(completion('{"nodes":[').slice(0, 40));
};

/** The connection breaks: before anything is said, or in the middle. */
export const resets: ChatReply = (response) => response.socket?.destroy();
export const resetsMidway: ChatReply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"choices":', () => response.socket?.destroy());
};

/** An answer without an end. */
export const floods: ChatReply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(65_536, 0x20);
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
};

/** The answer as a stream of events, though none was asked for. */
export function streams(content: string, finish = 'stop'): ChatReply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (choice: object): string =>
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`;
    for (let at = 0; at < content.length; at += 7)
      response.write(chunk({ delta: { content: content.slice(at, at + 7) }, finish_reason: null }));
    response.write(chunk({ delta: {}, finish_reason: finish }));
    response.end('data: [DONE]\n\n');
  };
}

/** A redirect to a place. */
export function redirects(status: number, location: string): ChatReply {
  return answers(status, '', { location });
}

import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** What a server does with whoever connects. */
export interface ServerManners {
  /** How it asks who this is; it takes any password but `wrong`. `none`: it asks nothing. */
  readonly login?: 'none' | 'password' | 'md5' | 'scram-sha-256';
  /** Rows of answers to statements, by a part of their text; none for the rest. */
  readonly rows?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** SQLSTATE with which it lets nobody in. */
  readonly refuses?: string;
  /** It does not answer. */
  readonly isSilent?: boolean;
}

/** A server that speaks as much of PostgreSQL's protocol as a login needs, without TLS. */
export interface OneServer {
  readonly port: number;
  /** What those who came asked for: the parameters of their start, `tls` where they wanted TLS. */
  readonly seen: (Readonly<Record<string, string>> | 'tls')[];
  /** The passwords and statements that came, in order. */
  readonly heard: string[];
  /** How many are connected. */
  readonly open: () => number;
  close(): Promise<void>;
}

const TLS_REQUEST = 80_877_103;

export async function startServer({ login = 'none', rows = {}, refuses, isSilent = false }: ServerManners = {}): Promise<OneServer> {
  const seen: OneServer['seen'] = [];
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let input = Buffer.alloc(0);
    let isStarted = false;
    const ready = (): void => void socket.write(Buffer.concat([message('R', int(0)), message('Z', Buffer.from('I'))]));
    const start = (parameters: Readonly<Record<string, string>>): void => {
      seen.push(parameters);
      if (isSilent) return;
      if (refuses !== undefined) {
        socket.end(message('E', Buffer.from(`SFATAL\0C${refuses}\0Mno entry\0\0`)));
      } else if (login === 'none') ready();
      else if (login === 'password') socket.write(message('R', int(3)));
      else if (login === 'md5') socket.write(message('R', Buffer.concat([int(5), Buffer.from('salt')])));
      else socket.write(message('R', Buffer.concat([int(10), Buffer.from('SCRAM-SHA-256\0\0')])));
    };
    const take = (type: string, body: Buffer): void => {
      const text = body.toString('utf8').replaceAll('\0', '');
      if (type === 'X') return void socket.end();
      heard.push(text);
      if (type === 'p') return ready();
      const row = Object.entries(rows).find(([part]) => text.includes(part))?.[1];
      socket.write(
        Buffer.concat([...(row === undefined ? [] : tableOf(row)), message('C', Buffer.from('SELECT\0')), message('Z', Buffer.from('I'))]),
      );
    };
    socket.on('data', (chunk) => {
      input = Buffer.concat([input, chunk]);
      for (;;) {
        const head = isStarted ? 1 : 0;
        if (input.length < head + 4) return;
        const length = head + input.readUInt32BE(head);
        if (input.length < length) return;
        const [type, body] = [input.toString('latin1', 0, head), input.subarray(head + 4, length)];
        input = input.subarray(length);
        if (isStarted) take(type, body);
        else if (body.readUInt32BE(0) === TLS_REQUEST) {
          seen.push('tls');
          socket.write('N');
        } else {
          isStarted = true;
          const words = body.toString('utf8', 4).split('\0');
          start(Object.fromEntries(words.flatMap((word, at) => (at % 2 === 0 && word !== '' ? [[word, words[at + 1] ?? '']] : []))));
        }
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    heard,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int(body.length + 4), body]);
}

/** The description of a row and the row itself; booleans are `t` and `f`, as their columns are of that type. */
function tableOf(row: Readonly<Record<string, string | null>>): readonly Buffer[] {
  const count = Buffer.alloc(2);
  const columns = Object.entries(row);
  count.writeInt16BE(columns.length);
  const described = columns.map(([name, value]) => {
    const rest = Buffer.alloc(18);
    rest.writeInt32BE(value === 't' || value === 'f' ? 16 : 25, 6);
    return Buffer.concat([Buffer.from(`${name}\0`), rest]);
  });
  const values = columns.map(([, value]) =>
    value === null ? int(-1) : Buffer.concat([int(Buffer.byteLength(value)), Buffer.from(value)]),
  );
  return [message('T', Buffer.concat([count, ...described])), message('D', Buffer.concat([count, ...values]))];
}

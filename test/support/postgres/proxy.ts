import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A message of PostgreSQL's protocol. */
export interface Message {
  /** Its letter: `Q` a statement, `B` a prepared one with values, `C` an answer that something was done; '' the first one, which has none. */
  readonly type: string;
  /** What is in it, as far as it is text. */
  readonly text: string;
}

/** One connection through the proxy. */
export interface Link {
  /** The process that serves it, once that has said so. */
  readonly pid: number | null;
  /** Each side alone, as a network may lose one. */
  cutClient(): void;
  cutServer(): void;
}

/** What becomes of a message: it goes on, or is swallowed. Cutting is up to the rule itself. */
export type Rule = (message: Message, link: Link) => Promise<'pass' | 'swallow'> | 'pass' | 'swallow';

/** Stands between the vaults of a test and the server, message by message. */
export interface Proxy {
  readonly port: number;
  toServer: Rule;
  toClient: Rule;
  /** False: new connections are refused. */
  isOpen: boolean;
  /** Cuts all that there are, on both sides. */
  cutAll(): void;
  close(): Promise<void>;
}

const pass: Rule = () => 'pass';

export async function startProxy(targetPort: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (!proxy.isOpen) return void client.destroy();
    const upstream = connect(targetPort, '127.0.0.1');
    let pid: number | null = null;
    let isCut = false;
    const link: Link = {
      get pid() {
        return pid;
      },
      cutClient() {
        isCut = true;
        client.destroy();
      },
      cutServer() {
        isCut = true;
        upstream.destroy();
      },
    };
    const staysOpen = (): boolean => isCut;
    relay(client, upstream, { hasLetters: false, rule: (message) => proxy.toServer(message, link), staysOpen });
    relay(upstream, client, {
      hasLetters: true,
      rule: (message) => proxy.toClient(message, link),
      staysOpen,
      onRaw: (type, body) => {
        if (type === 'K') pid = body.readInt32BE(0);
      },
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  const proxy: Proxy = {
    port: 0,
    toServer: pass,
    toClient: pass,
    isOpen: true,
    cutAll() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      proxy.cutAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, { port: (server.address() as AddressInfo).port });
}

interface How {
  /** The first message of a client has no letter. */
  readonly hasLetters: boolean;
  readonly rule: (message: Message) => ReturnType<Rule>;
  readonly onRaw?: (type: string, body: Buffer) => void;
  /** One side was cut off, and the other one does not notice. */
  readonly staysOpen: () => boolean;
}

/** Hands whole messages on, one after the other; the end of one side is the end of the other, unless a rule has cut that. */
function relay(from: Socket, to: Socket, { hasLetters, rule, onRaw, staysOpen }: How): void {
  let isFirst = !hasLetters;
  let rest: Buffer = Buffer.alloc(0);
  let queue: Promise<void> = Promise.resolve();
  from.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const frame = rest.subarray(0, length);
      rest = rest.subarray(length);
      const type = isFirst ? '' : String.fromCharCode(frame[0] ?? 0);
      const body = frame.subarray(head + 4);
      isFirst = false;
      onRaw?.(type, body);
      queue = queue.then(async () => {
        if ((await rule({ type, text: body.toString('latin1') })) === 'pass' && !to.destroyed) to.write(frame);
      });
    }
  });
  from.on('close', () => {
    void queue.then(() => {
      if (!staysOpen()) to.destroy();
    });
  });
}

import { RouxError } from '../../../../src/errors.ts';
import type { Connection } from '../../../../src/store/shared/database/session/connection.ts';
import type { Session } from '../../../../src/store/shared/database/session/connect.ts';
import type { VaultRow } from '../../../../src/store/shared/database/vault-row.ts';

/** A vault as the store has it. */
export const VAULT: VaultRow = {
  id: 7,
  ulid: 'v7',
  name: 'notes',
  store: { address: 'postgres://db/team/notes', user: 'me', database: 'team' },
};

/** What a connection is asked. */
export interface Question {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly timeoutMs: number | undefined;
  readonly name: string | undefined;
}

/** Rows, or with the tag of what was done; throws what the store answers instead. */
export type Answer = (question: Question, connection: ScriptedConnection) => unknown;

/** A connection to a store that answers what a test says. */
export interface ScriptedConnection extends Connection {
  readonly asked: Question[];
  /** What ended it: `closed`, `destroyed`, and why. */
  readonly ends: string[];
  isLost: boolean;
  noticeCount: number;
  notify(payload: string): void;
  /** As if the network had lost it. */
  lose(): void;
}

/** Answers nothing to everything. */
const silence: Answer = () => [];

export function scriptedConnection(answer: Answer = silence): ScriptedConnection {
  const atEnd = new Set<() => void>();
  const listeners = new Set<(payload: string) => void>();
  const asked: Question[] = [];
  const ends: string[] = [];
  async function ask(question: Question): Promise<{ rows: readonly unknown[]; command: string }> {
    if (connection.isLost) throw lost();
    asked.push(question);
    const given = await answer(question, connection);
    const command = /(\w+)(?: [^;]*)?$/.exec(question.text)?.[1] ?? '';
    return Array.isArray(given)
      ? { rows: given, command }
      : ((given as { rows: readonly unknown[]; command: string } | undefined) ?? { rows: [], command });
  }
  const connection: ScriptedConnection = {
    asked,
    ends,
    isLost: false,
    noticeCount: 0,
    query: async ({ text, values = [], name }, { timeoutMs } = {}) => (await ask({ text, values, timeoutMs, name })).rows as never,
    run: async (text, { timeoutMs } = {}) => (await ask({ text, values: [], timeoutMs, name: undefined })) as never,
    onEnd: (listener) => void (connection.isLost ? listener() : atEnd.add(listener)),
    onNotification: (listener) => void listeners.add(listener),
    notify(payload) {
      for (const listener of listeners) listener(payload);
    },
    lose() {
      connection.isLost = true;
      for (const listener of atEnd) listener();
      atEnd.clear();
    },
    destroy(why) {
      ends.push(why === undefined ? 'destroyed' : `destroyed: ${why.code}`);
      connection.lose();
    },
    async close() {
      if (connection.isLost) return;
      ends.push('closed');
      connection.lose();
    },
  };
  return connection;
}

export function sessionOn<C extends Connection>(connection: C, rest: Partial<Session> = {}): Session & { readonly connection: C } {
  return { isReadOnly: false, isStandby: false, backend: { pid: 11, since: 'then' }, ...rest, connection };
}

/** What a connection says that was lost. */
export function lost(): RouxError {
  return new RouxError('STORE_UNAVAILABLE', 'the connection was lost', undefined, { retryable: true });
}

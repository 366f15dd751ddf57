import { expect } from 'vitest';
import { withServe } from '../../../support/program/http-server.ts';
import { openMcp } from '../../../support/program/mcp-client.ts';
import { turnAt } from '../../../support/effort.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';
import type { Envelope } from '../kg.ts';

/** One way to the operations of the knowledge graph, by the names of their document. */
export interface Door {
  /** Sends a whole request; whatever comes back, as its envelope. */
  readonly send: (operation: string, request: unknown) => Promise<Envelope>;
  /** Sends a whole request; all that comes back, with warnings. */
  readonly whole: (operation: string, request: unknown) => Promise<unknown>;
  /** Asks for something that has to succeed; its output. */
  // oxlint-disable-next-line typescript/no-explicit-any
  ok(operation: string, input: unknown, more?: Record<string, unknown>): Promise<any>;
  /** Asks for something that has to fail; the code of its error. */
  refused(operation: string, input: unknown, more?: Record<string, unknown>): Promise<string>;
}

/** The two doors, each a process of its own. */
const DOORS = ['MCP', 'HTTP'] as const;
type DoorKind = (typeof DOORS)[number];

/** The doors that a part of the suite goes through: in a long run both, else one, another for each part. */
export const doorsOf = (part: number): readonly DoorKind[] => turnAt(part, DOORS);

/** What each answer of an error has to be in HTTP, besides what it says. */
const STATUS: Readonly<Record<string, number>> = { INVALID_ARGUMENT: 400, NOT_FOUND: 404, CONFLICT: 409, READ_ONLY: 403 };

/** Runs with a server on a vault, behind one of the doors. */
export function withDoor(
  kind: DoorKind,
  { vault: source = {}, flags = ['--toolsets', 'all'], env }: DoorOptions,
  run: (door: Door, vault: TestVault) => Promise<void>,
): Promise<void> {
  return withVault(source, (vault) => throughDoor(kind, { vault, flags, ...(env === undefined ? {} : { env }) }, run));
}

export interface DoorOptions {
  readonly vault?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs with a server on a vault that is there, behind one of the doors. */
export async function throughDoor(
  kind: DoorKind,
  {
    vault,
    flags = ['--toolsets', 'all'],
    env = {},
  }: { readonly vault: TestVault; readonly flags?: readonly string[]; readonly env?: Readonly<Record<string, string>> },
  run: (door: Door, vault: TestVault) => Promise<void>,
): Promise<void> {
  if (kind === 'HTTP')
    return withServe(
      vault,
      flags,
      ({ url }) =>
        run(
          toDoor((name, request) => post(url, name, request)),
          vault,
        ),
      env,
    );
  const session = await openMcp(vault, { flags, env });
  try {
    const call = (name: string, request: unknown) =>
      session.call(`kg${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`, request as Record<string, unknown>);
    const send = async (name: string, request: unknown): Promise<Envelope> => {
      const { value, isError } = await call(name, request);
      expect(isError).toBe((value as Envelope).status === 'ERROR');
      return value as Envelope;
    };
    await run(toDoor(send, call), vault);
  } finally {
    await session.close();
  }
}

async function post(url: string, name: string, request: unknown): Promise<Envelope> {
  const response = await fetch(`${url}/api/kg/${name}`, { method: 'POST', body: JSON.stringify(request) });
  const envelope = (await response.json()) as Envelope;
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const { status, error } = envelope;
  if (error === undefined) expect(response.status).toBe(status === 'ACCEPTED' ? 202 : 200);
  else if (error.error_code === 'LIMIT_EXCEEDED') expect(response.status).toBe(error.details?.retryable === true ? 429 : 413);
  else expect(response.status, JSON.stringify(error)).toBe(STATUS[error.error_code] ?? 500);
  return envelope;
}

function toDoor(send: Door['send'], whole: Door['whole'] = send): Door {
  return {
    send,
    whole,
    async ok(operation, input, more = {}) {
      const { status, error, output } = await send(operation, { input, ...more });
      expect(error, `${operation} ${JSON.stringify(error)}`).toBeUndefined();
      expect(status).toBe(/^Add(Messages|Episodes)$/.test(operation) ? 'ACCEPTED' : 'OK');
      return output;
    },
    async refused(operation, input, more = {}) {
      const answer = await send(operation, { input, ...more });
      expect(answer, JSON.stringify(answer)).toMatchObject({ request_id: expect.any(String), status: 'ERROR' });
      expect(answer.error?.message).toBeTruthy();
      return answer.error?.error_code ?? '';
    },
  };
}

/** Adds episodes and waits until each is completed or parked; what the receipt says of each. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function settle(door: Door, group: string, items: readonly unknown[], more: Record<string, unknown> = {}): Promise<any[]> {
  const { receipt_id: receipt, accepted } = await door.ok('AddEpisodes', { group_id: group, items }, more);
  expect(accepted).toBe(items.length);
  return settled(door, receipt);
}

/** Waits until each item of a receipt is completed or parked; what it says of each. */
// oxlint-disable-next-line typescript/no-explicit-any
export function settled(door: Door, receipt: string): Promise<any[]> {
  return waitFor(
    async () => {
      const { items } = await door.ok('GetReceipt', { receipt_id: receipt });
      return items.every(({ state }: { state: string }) => state === 'completed' || state === 'parked') ? items : null;
    },
    { what: 'the receipt' },
  );
}

/** Searches one group; the facts that were found. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function search(door: Door, group: string, query: string, more: Record<string, unknown> = {}): Promise<any[]> {
  return (await door.ok('SearchFacts', { group_ids: [group], query, ...more })).facts;
}

let made = 0;

/** An item that states facts, with what was read from it. */
export function stating(
  facts: readonly {
    readonly source?: string;
    readonly name: string;
    readonly target: string;
    readonly fact: string;
    readonly [more: string]: unknown;
  }[],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  made += 1;
  const ref = (name: string): string => `n${names.indexOf(name)}`;
  const names = [...new Set(facts.flatMap(({ source = 'Alice', target }) => [source, target]))];
  return {
    source: 'text',
    body: `${facts.map(({ fact }) => fact).join(' ')} (note ${made})`,
    reference_time: '2026-01-01T00:00:00.000Z',
    extraction: {
      nodes: names.map((name, at) => ({ tmp_ref: `n${at}`, name })),
      edges: facts.map(({ source = 'Alice', target, ...edge }) => ({ ...edge, source_ref: ref(source), target_ref: ref(target) })),
    },
    ...more,
  };
}

/** Texts in their order by code units, as uuids are compared. */
export function sorted(texts: readonly string[]): string[] {
  return texts.toSorted((a, b) => (a < b ? -1 : 1));
}

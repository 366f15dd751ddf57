import { setTimeout } from 'node:timers/promises';
import { openMcp, signalAll } from '../../support/program/mcp-client.ts';
import type { McpProcess } from '../../support/program/mcp-client.ts';
import { answers, fails, htmlPage, neverAnswers, openChatServer, resets, says, stalls } from '../../support/program/chat-server.ts';
import type { ChatReply, ChatRequest, ChatServer } from '../../support/program/chat-server.ts';
import { randomOf } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { makeVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { leftovers } from '../leftovers.ts';

/** What many rounds came to. */
export interface IngestionReport {
  rounds: number;
  /** Items of calls that were answered before the kill. */
  acknowledged: number;
  /** States in which items were found right after a kill. */
  readonly found: Record<string, number>;
  completed: number;
  parked: number;
  readonly faults: string[];
}

/** An item, and what is known of it: `n` is in its text, its uuid and the fact that it states. */
interface Item {
  readonly n: number;
  readonly group: string;
  /** What it gives cannot be brought in: it ends parked. */
  readonly isBad: boolean;
  receipt: string | null;
}

const NAMES = ['Alice', 'Bob', 'Carol', 'ALICE ', 'bob'];
const RELATIONS = ['KNOWS', 'WORKS_AT', 'LIKES'];
/** After so many rounds everything is worked off and looked at, and the next ones begin on a fresh vault. */
const ROUNDS_A_VAULT = 12;
/** What waits for another process, for a pause or for a claim is due by then. */
const LATER_MS = 600_000;

/** Kills the built program at random moments of ingestion, round after round, and looks at what its successors make of it. */
export async function killIngestion(
  rounds: Iterable<number>,
  tell: (report: IngestionReport) => void = () => undefined,
): Promise<IngestionReport> {
  const report: IngestionReport = { rounds: 0, acknowledged: 0, found: {}, completed: 0, parked: 0, faults: [] };
  const random = randomOf('kills of ingestion');
  const chat = await openChatServer();
  let run: Run | null = null;
  try {
    for (const round of rounds) {
      run ??= new Run(chat, random, report);
      await run.killOnce(round);
      report.rounds += 1;
      tell(report);
      if (report.rounds % ROUNDS_A_VAULT !== 0) continue;
      await run.end();
      run = null;
    }
    await run?.end();
    run = null;
  } finally {
    run?.vault.dispose();
    await chat.close();
  }
  return report;
}

class Run {
  readonly vault: TestVault & { dispose(): void } = makeVault({
    '.rouxrc.json': '{"knowledge": {"single": ["WORKS_AT"]}}',
    'note.md': 'A note of a person.\n',
  });
  readonly #items: Item[] = [];
  readonly #chat: ChatServer;
  readonly #random: Random;
  readonly #report: IngestionReport;

  constructor(chat: ChatServer, random: Random, report: IngestionReport) {
    this.#chat = chat;
    this.#random = random;
    this.#report = report;
    this.vault.write('.clock', '0');
  }

  /** Starts a server, sends it items and kills it. In some rounds an endpoint extracts, and answers as real ones do; in some what is parked is retried. */
  async killOnce(round: number): Promise<void> {
    const random = this.#random;
    const hasEndpoint = random.chance(0.6);
    this.#misbehave();
    const session = await this.#open(hasEndpoint);
    let isKilled = false;
    let onAnswer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (onAnswer = resolve));
    const kill = async (): Promise<void> => {
      // However slow the machine is, in half of the rounds something was acknowledged by then.
      if (round % 2 === 0) await answered;
      await setTimeout(random.below(hasEndpoint ? 1500 : 800));
      isKilled = true;
      signalAll(session.pid, 'SIGKILL');
    };
    const killing = kill();
    try {
      while (!isKilled) {
        if (random.chance(0.2)) await session.call('kg_retry_parked', { input: { group_id: random.pick(['one', 'two']) } });
        await this.#add(session, hasEndpoint);
        onAnswer();
      }
    } catch (error) {
      onAnswer();
      if (!/closed/i.test(String(error))) throw error;
    }
    await killing;
    await session.close();
    for (const { state } of this.#episodes().values()) this.#report.found[state] = (this.#report.found[state] ?? 0) + 1;
    for (const fault of this.#faults()) this.#report.faults.push(`round ${round}: ${fault}`);
  }

  async #add(session: McpProcess, hasEndpoint: boolean): Promise<void> {
    const group = this.#random.pick(['one', 'two']);
    const items = Array.from({ length: 1 + this.#random.below(3) }, (_, at): Item => {
      return { n: this.#items.length + at, group, isBad: this.#random.chance(0.15), receipt: null };
    });
    this.#items.push(...items);
    const input = { group_id: group, items: items.map((item) => this.#toInput(item, hasEndpoint)) };
    const { output } = await session.ask('kg_add_episodes', { input });
    for (const item of items) item.receipt = output.receipt_id;
    this.#report.acknowledged += items.length;
  }

  #toInput({ n, isBad }: Item, hasEndpoint: boolean) {
    const how = this.#random.below(3);
    const { nodes, edges } = factOf(n);
    const byEndpoint = hasEndpoint && how > 0;
    const supplied = how === 0 && !isBad ? { extraction: { nodes, edges } } : {};
    // Of a bad item the rules read a fact that is longer than its limit, and the endpoint nothing that is valid.
    const words = isBad ? `${edges[0]!.fact} ${'Really. '.repeat(300)}` : edges[0]!.fact;
    const body = `Item ${n}${isBad ? ' is bad' : ''}.\n${nodes[0]!.name.trim()} -[${edges[0]!.name}]-> ${nodes[1]!.name.trim()}: ${words}\n`;
    return { uuid: `item-${n}`, source: 'text', body, reference_time: '2026-01-01T00:00:00.000Z', ...(byEndpoint ? {} : supplied) };
  }

  /** Lets all that is open be worked off by a server that nobody kills, some minutes later; looks at everything then. */
  async end(): Promise<void> {
    this.#chat.reply(extracts);
    this.vault.write('.clock', String(LATER_MS));
    const session = await this.#open(true);
    const fault = (what: string): void => void this.#report.faults.push(`at the end: ${what}`);
    try {
      const open = (): readonly string[] => [...this.#episodes().values()].map(({ state }) => state).filter((state) => !isSettled(state));
      await waitFor(() => open().length === 0 && leftovers(this.vault).length === 0, {
        what: 'the end of all items',
      }).catch((error: unknown) => fault(`${String(error)}: ${open().join()} ${leftovers(this.vault).join()}`));
      for (const what of this.#faults()) fault(what);
      for (const receipt of new Set(this.#items.flatMap((item) => item.receipt ?? []))) {
        const wanted = this.#items.filter((item) => item.receipt === receipt).map(({ n }) => `item-${n}`);
        const { output } = await session.ask('kg_get_receipt', { input: { receipt_id: receipt } });
        const states = new Map<string, string>(output.items.map(({ uuid, state }: { uuid: string; state: string }) => [uuid, state]));
        for (const uuid of wanted) if (!isSettled(states.get(uuid) ?? '')) fault(`${uuid} of its receipt is ${states.get(uuid)}`);
      }
      const { findings, counts } = (await session.ask('vault_health', { rebuild: true })) as {
        readonly findings: readonly { readonly kind: string; readonly message: string }[];
        readonly counts: Readonly<Record<string, number>>;
      };
      // Bad items are parked, and told of as that.
      const others = findings.filter(({ kind, message }) => kind !== 'episode' || !message.includes(' is parked ('));
      const isOnlyEpisodes = Object.keys(counts).every((kind) => kind === 'episode');
      if (others.length > 0 || !isOnlyEpisodes)
        fault(`vault_health finds ${JSON.stringify(others).slice(0, 400)} ${JSON.stringify(counts)}`);
      if (leftovers(this.vault).length > 0) fault(`left over: ${leftovers(this.vault).join()}`);
    } finally {
      await session.close();
      this.vault.dispose();
    }
    const states = [...this.#last.values()].map(({ state }) => state);
    this.#report.completed += states.filter((state) => state === 'completed').length;
    this.#report.parked += states.filter((state) => state === 'parked').length;
  }

  #last = new Map<string, { readonly state: string }>();

  /** Episodes by uuid, from the files. */
  #episodes(): Map<string, { readonly state: string }> {
    const found = new Map<string, { readonly state: string }>();
    for (const file of this.#files('episodes')) {
      const text = this.vault.read(file);
      const uuid = /^id: (\S+)$/m.exec(text)?.[1] ?? file;
      if (found.has(uuid)) this.#report.faults.push(`${uuid} is there twice`);
      found.set(uuid, { state: /^ingest:\n(?: .*\n)*? +state: (\w+)$/m.exec(text)?.[1] ?? 'none' });
    }
    this.#last = found;
    return found;
  }

  #files(folder: string): readonly string[] {
    return this.vault.files().filter((file) => file.startsWith('knowledge/') && file.split('/')[2] === folder);
  }

  /** What contradicts what was acknowledged, by the files alone. */
  #faults(): readonly string[] {
    // A kill may have left a write half-way; whoever comes next finishes it. Then the files tell all.
    if (leftovers(this.vault).length > 0) return [];
    const faults: string[] = [];
    const episodes = this.#episodes();
    for (const { n, receipt } of this.#items)
      if (receipt !== null && !episodes.has(`item-${n}`)) faults.push(`item-${n} was acknowledged and is lost`);
    const names = new Map<string, string>();
    const facts = new Map<number, number>();
    for (const file of this.#files('entities')) {
      const text = this.vault.read(file);
      const name = /^title: (.*)$/m.exec(text)?.[1] ?? file.split('/').at(-1)!.replace(/\.md$/, '');
      const key = `${file.split('/')[1]} ${name.replaceAll(/["']/g, '').trim().toLowerCase()}`;
      if (names.has(key)) faults.push(`${file} and ${names.get(key)} are one entity`);
      names.set(key, file);
      for (const [, n] of text.matchAll(/fact number (\d+)\./g)) facts.set(Number(n), (facts.get(Number(n)) ?? 0) + 1);
    }
    for (const { n } of this.#items) {
      const state = episodes.get(`item-${n}`)?.state ?? 'nothing';
      const count = facts.get(n) ?? 0;
      if (count !== (state === 'completed' ? 1 : 0)) faults.push(`item-${n} is ${state}, and has ${count} facts`);
    }
    return faults;
  }

  #open(hasEndpoint: boolean): Promise<McpProcess> {
    const endpoint = { ROUX_EXTRACT_URL: this.#chat.url, ROUX_EXTRACT_MODEL: 'test', ROUX_EXTRACT_KEY: 'none' };
    return openMcp(this.vault, {
      flags: ['--toolsets', 'vault,knowledge,admin'],
      env: { ...(hasEndpoint ? endpoint : {}), TEST_CLOCK: this.vault.path('.clock') },
      preload: new URL('../machine/shifted-clock.mjs', import.meta.url).href,
    });
  }

  /** The next answers of the endpoint: half of them what real ones answer on their bad days. */
  #misbehave(): void {
    const bad: readonly ChatReply[] = [
      fails(429, 'slow down'),
      answers(500, ''),
      htmlPage(502),
      says('{"nodes": ['),
      says({ nodes: 1 }),
      resets,
      neverAnswers,
      stalls,
    ];
    const slow: ChatReply = (response, request) => void setTimeout(this.#random.below(150)).then(() => extracts(response, request));
    this.#chat.reply(...Array.from({ length: 12 }, () => this.#random.pick([slow, extracts, slow, this.#random.pick(bad)])), extracts);
  }
}

/** The endpoint reads the fact of an item; of a bad one nothing that is valid. */
function extracts(response: Parameters<ChatReply>[0], request: ChatRequest): void {
  const { body } = JSON.parse(request.body.messages.at(-1)?.content ?? '{}') as { body: string };
  const n = Number(/^Item (\d+)/.exec(body)?.[1]);
  if (/is bad/.test(body)) return says({ nodes: [], edges: [{ name: 'KNOWS', source_ref: 'x' }] })(response, request);
  const { nodes, edges } = factOf(n);
  const optional = { valid_at: null, invalid_at: null, qualifiers: null, negated: false };
  says({
    nodes: nodes.map((node) => ({ ...node, summary: null, attributes: null })),
    edges: edges.map((edge) => ({ ...edge, ...optional })),
  })(response, request);
}

function factOf(n: number) {
  const source = { tmp_ref: 'a', name: NAMES[n % NAMES.length] ?? '' };
  // No two items state one edge: each is a fact of its own.
  const target = { tmp_ref: 'b', name: `Thing ${n}` };
  const name = RELATIONS[n % RELATIONS.length] ?? '';
  return { nodes: [source, target], edges: [{ name, fact: `This is fact number ${n}.`, source_ref: 'a', target_ref: 'b' }] };
}

function isSettled(state: string): boolean {
  return state === 'completed' || state === 'parked';
}

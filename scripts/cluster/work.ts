import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * A machine's agent and its editor: `work.ts <machine> <vault folder> <http address>`. Lines come in, `go <round>` and `rest`; a line
 * of JSON goes out for all that is known of a word that was written.
 */

/** What is known of a word: `kept` was acknowledged, `saved` is a person's, `refused` came with the promise that nothing happened. */
export interface Told {
  readonly word?: string;
  readonly what: 'kept' | 'saved' | 'refused' | 'unknown' | 'resting';
  /** The code of an error, or what the network said. */
  readonly why?: string;
}

/** How often each of them writes, in milliseconds. */
const AGENT_MS = 200;
const EDITOR_MS = 700;
/** How long an answer is waited for. */
const PATIENCE_MS = 40_000;

const [machine = '', folder = '', address = ''] = process.argv.slice(2);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (told: Told): void => void process.stdout.write(`${JSON.stringify(told)}\n`);
let round: string | null = null;
let running: readonly Promise<void>[] = [];

for await (const line of createInterface({ input: process.stdin })) {
  const [order, name = ''] = line.split(' ');
  round = order === 'go' ? name : null;
  if (order === 'go') running = [agent(name), editor(name)];
  else {
    await Promise.all(running);
    tell({ what: 'resting' });
  }
}

async function agent(name: string): Promise<void> {
  for (let count = 0; round === name; count += 1) {
    const word = `a${machine}x${name}x${count}z`;
    const isKeyed = count % 2 === 0;
    // Every third into a note that all machines' agents and people write to.
    const [tool, input] =
      count % 3 === 2
        ? ['update_node', { id: `boards/${name}.md`, under: `Machine ${machine}`, append: `- ${word}` }]
        : ['create_node', { title: `Note ${count} of ${machine} in ${name}`, directory: `notes-${name}`, content: `${word}\n` }];
    for (;;) {
      const { what, why } = await call(tool as string, { ...(input as object), ...(isKeyed ? { idempotency_key: word } : {}) });
      const isAgain = isKeyed && what !== 'kept' && round === name;
      // Under its key a call may be made again however it went.
      if (!isAgain) tell({ word, what: isKeyed && what === 'refused' ? 'unknown' : what, ...(why === undefined ? {} : { why }) });
      if (!isAgain) break;
      await pause(AGENT_MS);
    }
    await pause(AGENT_MS);
  }
}

async function call(tool: string, input: object): Promise<Told> {
  try {
    const response = await fetch(`${address}/api/${tool}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const { error } = (await response.json()) as { error?: { code: string; retryable?: boolean; details?: { outcome?: string } } };
    if (error === undefined) return { what: 'kept' };
    return { what: error.details?.outcome === 'unknown' ? 'unknown' : 'refused', why: error.code };
  } catch (error) {
    return { what: 'unknown', why: error instanceof Error ? error.name : 'lost' };
  }
}

/** A person: a note of their own, saved whole by rename, and now and then a line that is added in place to the one that everybody writes to, where others add theirs. */
async function editor(name: string): Promise<void> {
  const own = join(folder, `people/${machine}-${name}.md`);
  mkdirSync(join(folder, 'people'), { recursive: true });
  let text = '';
  for (let count = 0; round === name; count += 1) {
    const word = `p${machine}x${name}x${count}z`;
    if (count % 4 !== 3) {
      text += `${word}\n`;
      writeFileSync(`${own}.saving~`, text);
      renameSync(`${own}.saving~`, own);
    } else appendFileSync(join(folder, `boards/${name}.md`), `\n- ${word}\n`);
    tell({ word, what: 'saved' });
    await pause(EDITOR_MS);
  }
}

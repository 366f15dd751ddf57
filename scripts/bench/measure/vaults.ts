import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeVault } from '../../make-vault.ts';
import { pause, untilQuiet } from './process.ts';
import { openServer, type BenchServer } from './server.ts';

/** A generated vault that parts of a run share. */
export class BenchVault {
  readonly root: string;
  readonly count: number;
  #isIndexed = false;

  constructor(count: number) {
    this.count = count;
    this.root = mkdtempSync(join(tmpdir(), 'roux-bench-'));
    makeVault(this.root, count);
  }

  /** A server with its graph and its index, which now also lie beside the notes, at rest. */
  async open(): Promise<BenchServer> {
    const server = await openServer(this.root);
    await untilQuiet(server.pid);
    if (!this.#isIndexed) await this.untilStored(server);
    return server;
  }

  /** Resolves when a server that builds the index has stored it. */
  async untilStored(server: BenchServer): Promise<void> {
    while (!existsSync(join(this.root, '.roux/cache/search'))) await pause(500);
    await untilQuiet(server.pid);
    this.#isIndexed = true;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Runs with a temporary folder. */
export async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-bench-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** So many of a list, spread over it. */
export function spreadOver<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(list.length / count));
  return list.filter((_, index) => index % step === 0).slice(0, count);
}

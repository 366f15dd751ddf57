import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import { createOrigin } from '../../src/store/origin.ts';
import { CHAIN_START, chainLine } from '../../src/store/records/line-chain.ts';
import { systemPorts } from '../../src/system/system-ports.ts';
import type { TestVault } from './vault.ts';

/** Every event of a vault's history, oldest first. */
export function eventsOf(
  vault: TestVault,
): readonly { seq: number; agent: string; path: string; action: string; changes: readonly unknown[] }[] {
  if (!vault.exists('.roux/history')) return [];
  return vault
    .list('.roux/history')
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => vault.read(`.roux/history/${name}`).trim().split('\n'))
    .map((line) => JSON.parse(line) as ReturnType<typeof eventsOf>[number]);
}

/** Writes events as a segment that this user's roux wrote in this folder. */
export function writeOwnHistory(vault: TestVault, segment: string, events: readonly object[]): void {
  const marks = createOrigin(openNodeFileSystem(vault.root), systemPorts()).lineMarks();
  let before = CHAIN_START;
  const lines = events.map((event) => {
    const { text, sum } = chainLine(event, before, marks);
    before = sum;
    return `${text}\n`;
  });
  vault.write(`.roux/history/${segment}.jsonl`, lines.join(''));
}

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

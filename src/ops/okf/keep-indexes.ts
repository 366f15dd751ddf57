import { hasReservedName } from '../../note/okf/reserved.ts';
import { isNotePath } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';

/** How long nothing has to change before the indexes are brought up to date. */
const MIN_QUIET_MS = 1_000;
/** How long they may be behind while something changes all the time. */
const MAX_BEHIND_MS = 30_000;

/**
 * Keeps what roux generated in the `index.md` and `log.md` of bundles up to date, while a process follows the vault and `okfIndexes` is
 * `keep`. Makes no file, and touches none without roux's marks.
 */
export function keepIndexes(vault: Vault): void {
  let timer: NodeJS.Timeout | undefined;
  let firstMs: number | null = null;
  let running = Promise.resolve();
  const isOn = (): boolean => vault.settings.config.okfIndexes === 'keep';
  const work = async (): Promise<void> => {
    firstMs = null;
    if (!isOn()) return;
    try {
      const { writeIndexes } = await import('./write-indexes.ts');
      await writeIndexes(vault, { operation: 'okf_index', agent: vault.settings.config.agent ?? 'roux' }, { isKeeping: true });
    } catch (error) {
      // The next change tries again.
      vault.ports.log.warn(
        `Generated index.md and log.md files could not be brought up to date: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  const wake = (): void => {
    const now = performance.now();
    firstMs ??= now;
    clearTimeout(timer);
    timer = setTimeout(() => void (running = running.then(work)), Math.max(0, Math.min(MIN_QUIET_MS, firstMs + MAX_BEHIND_MS - now)));
    timer.unref();
  };
  vault.notes.onChange((paths) => {
    if (isOn() && paths.some((path) => !isNotePath(path) || !hasReservedName(path)) && vault.graph.bundles.tops.length > 0) wake();
  });
  if (isOn()) wake();
}

import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { lastChange } from '../live.ts';
import type { Change } from '../live.ts';
import type { TreeLevels } from './tree-levels.ts';

/** Changes within this time cause one call for each level. */
const SETTLE_MS = 200;

/** Reloads a tree when the vault changes. `touchedBy` returns the keys of items that a change may add or remove; null: any item. */
export function useTreeRefresh(tree: TreeLevels, touchedBy: (change: Change) => readonly string[] | null): void {
  useEffect(() => {
    let seen = lastChange.peek();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let touched: Set<string> | null = new Set();
    const stop = effect(() => {
      const change = lastChange.value;
      if (change === null || change === seen) return;
      seen = change;
      const keys = touchedBy(change);
      if (keys?.length === 0) return;
      if (keys === null) touched = null;
      for (const key of keys ?? []) touched?.add(key);
      timer ??= setTimeout(() => {
        timer = undefined;
        const all = touched === null ? null : [...touched];
        touched = new Set();
        void tree.refresh(all);
      }, SETTLE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [tree]);
}

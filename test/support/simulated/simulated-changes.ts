/** Who follows the files of a simulated disk. */
export interface SimulatedChanges {
  follow(path: string, listener: () => void): () => void;
  /** Tells those that follow a file, a moment later. */
  report(path: string): void;
}

export function followChanges(): SimulatedChanges {
  const listeners = new Map<string, Set<() => void>>();
  return {
    follow(path, listener) {
      const all = listeners.get(path) ?? new Set();
      listeners.set(path, all.add(listener));
      return () => void all.delete(listener);
    },
    report(path) {
      setTimeout(() => {
        for (const listener of listeners.get(path) ?? []) listener();
      }, 0.1);
    },
  };
}

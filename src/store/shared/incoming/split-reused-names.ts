import type { StoreChange, StoredFile } from '../../store.ts';

/**
 * Rewrites changes so that no name is left by one file and taken by another, as a transaction of the folder removes old names last. The file
 * at such a name is replaced instead, and its previous content is created under its new name.
 */
export function splitReusedNames(given: readonly StoreChange[]): readonly StoreChange[] {
  let changes = given;
  for (let next = step(changes); next !== null; next = step(changes)) changes = next;
  return changes;
}

type Events = Pick<StoreChange, 'events' | 'describe'>;

/** Resolves one reused name; returns null if there is none. Two moves may swap names, which the folder supports. */
function step(changes: readonly StoreChange[]): readonly StoreChange[] | null {
  // A map, as a checkout may change thousands of files.
  const left = new Map(changes.flatMap((change) => (isLeaving(change) ? [[change.of.path, change] as const] : [])));
  for (const getting of changes) {
    if (getting.kind !== 'create' && getting.kind !== 'move') continue;
    const leaving = left.get(getting.kind === 'create' ? getting.path : getting.to);
    if (leaving === undefined || leaving === getting) continue;
    if (leaving.kind === 'move' && getting.kind === 'move') continue;
    const bytes = getting.kind === 'create' ? getting.bytes : (getting.bytes ?? getting.of.bytes);
    const rest = changes.filter((other) => other !== getting && other !== leaving);
    return [
      ...rest,
      ...(leaving.kind === 'move' ? [makeAt(leaving.to, leaving.bytes ?? leaving.of.bytes, leaving.of, leaving)] : []),
      ...(getting.kind === 'move'
        ? [{ kind: 'remove' as const, of: getting.of, to: 'gone' as const, events: [], describe: () => [] }]
        : []),
      { kind: 'replace', of: leaving.of, bytes, changes: null, isCommutative: false, events: getting.events, describe: getting.describe },
    ];
  }
  return null;
}

function isLeaving(change: StoreChange): change is Extract<StoreChange, { kind: 'remove' | 'move' }> {
  return change.kind === 'remove' || (change.kind === 'move' && change.to !== change.of.path);
}

function makeAt(path: string, bytes: Uint8Array, of: StoredFile, { events, describe }: Events): StoreChange {
  return { kind: 'create', path, bytes, like: of.state, events, describe };
}

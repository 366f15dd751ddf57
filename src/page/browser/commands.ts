import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { IconName } from './parts/icon.tsx';

/**
 * Keys that are pressed one after another (`['g', 'h']`), or together with Ctrl or ⌘ (`['Mod', 'k']`). Names are those of
 * `KeyboardEvent.key`; a letter with Mod is written in lower case.
 */
export type Keys = readonly string[];

/** Something that a person can do: listed in the palette and, if it has keys, in the list of keyboard shortcuts. */
export interface Command {
  readonly id: string;
  /** Begins with a verb: `Edit this note`. */
  readonly title: string;
  /** The heading under which the keyboard shortcuts list it: `This note`. */
  readonly group: string;
  readonly icon?: IconName;
  /** Other words by which the palette finds it. */
  readonly keywords?: string;
  /** Work everywhere on the page, except while the user types or a dialog is open; with Mod also while the user types. */
  readonly keys?: Keys;
  /** Whether it can be run now. The default is always. */
  readonly isAvailable?: () => boolean;
  readonly run: () => unknown;
}

/** Keys that an element handles itself, for the list of keyboard shortcuts: `↑` `↓` in a list. */
export interface KeyHint {
  readonly title: string;
  readonly group: string;
  readonly keys: Keys;
}

const registered = signal<readonly Command[]>([]);
const hints = signal<readonly KeyHint[]>([]);

/** Adds commands until the returned function is called. A command with the same id replaces an earlier one for that time. */
export function registerCommands(commands: readonly Command[]): () => void {
  registered.value = [...registered.peek(), ...commands];
  return () => {
    registered.value = registered.peek().filter((each) => !commands.includes(each));
  };
}

/** Adds lines to the list of keyboard shortcuts until the returned function is called. */
export function registerKeyHints(added: readonly KeyHint[]): () => void {
  hints.value = [...hints.peek(), ...added];
  return () => {
    hints.value = hints.peek().filter((each) => !added.includes(each));
  };
}

/** Adds commands and key hints while the component is mounted, and again when one of the inputs changes. */
export function useCommands(commands: readonly Command[], inputs: readonly unknown[] = [], keyHints: readonly KeyHint[] = []): void {
  // Before the browser paints: a key may be pressed as soon as the view is seen.
  useLayoutEffect(() => {
    const removeCommands = registerCommands(commands);
    const removeHints = registerKeyHints(keyHints);
    return () => {
      removeCommands();
      removeHints();
    };
  }, [...inputs]);
}

/** Lists the commands that can be run now. */
export function listCommands(): readonly Command[] {
  const byId = new Map(registered.value.map((command) => [command.id, command]));
  return [...byId.values()].filter(({ isAvailable }) => isAvailable?.() ?? true);
}

/** Lists the keyboard shortcuts that work now, by group. */
export function listKeys(): ReadonlyMap<string, readonly KeyHint[]> {
  const groups = new Map<string, KeyHint[]>();
  for (const { title, group, keys } of [...listCommands(), ...hints.value]) {
    if (keys === undefined) continue;
    const list = groups.get(group) ?? [];
    groups.set(group, list);
    list.push({ title, group, keys });
  }
  return groups;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Returns how a key is written on this machine's keyboard. */
export function nameKey(key: string): string {
  return key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key;
}

import { createHash } from 'node:crypto';
import type { TestVault } from '../../test/support/vault.ts';
import type { Told } from './work.ts';

/** What came of a round, in numbers. */
export interface Count {
  readonly acknowledged: number;
  /** Acknowledged words that are in no file. */
  readonly lost: readonly string[];
  /** Acknowledged words that are there more than once, conflict copies left aside. */
  readonly doubled: readonly string[];
  readonly saved: number;
  /** A person's words that are in no file. */
  readonly lostEdits: readonly string[];
  /** Refused calls, and their words that are there all the same. */
  readonly refused: number;
  readonly undead: readonly string[];
  /** Calls whose end nobody was told of: there or not. */
  readonly unknown: number;
  readonly conflictCopies: number;
}

/** What agents and people were told of each word. */
export interface Ledger {
  note(told: Told): void;
  /** Holds the words of a round, or of all, against the files of a vault. */
  count(vault: TestVault, round?: string): Count;
  /** With which codes calls were not carried out, and how often. */
  reasons(): Readonly<Record<string, number>>;
}

const WORD = /\b[ap]\dx\w+?x\d+z\b/g;

export function openLedger(): Ledger {
  const words = new Map<string, Told['what']>();
  const reasons: Record<string, number> = {};
  return {
    note({ word, what, why }) {
      if (word !== undefined) words.set(word, what);
      if (why !== undefined) reasons[why] = (reasons[why] ?? 0) + 1;
    },
    reasons: () => reasons,
    count(vault, round) {
      const inNotes = new Map<string, number>();
      const inCopies = new Set<string>();
      const files = vault.files();
      for (const file of files) {
        for (const [word] of vault.read(file).matchAll(WORD)) {
          if (isConflictCopy(file)) inCopies.add(word);
          else inNotes.set(word, (inNotes.get(word) ?? 0) + 1);
        }
      }
      const isThere = (word: string): boolean => inNotes.has(word) || inCopies.has(word);
      const of = (what: Told['what']): readonly string[] =>
        [...words].filter(([word, is]) => is === what && (round === undefined || word.includes(`x${round}x`))).map(([word]) => word);
      return {
        acknowledged: of('kept').length,
        lost: of('kept').filter((word) => !isThere(word)),
        doubled: of('kept').filter((word) => (inNotes.get(word) ?? 0) > 1),
        saved: of('saved').length,
        lostEdits: of('saved').filter((word) => !isThere(word)),
        refused: of('refused').length,
        undead: of('refused').filter(isThere),
        unknown: of('unknown').length,
        conflictCopies: files.filter(isConflictCopy).length,
      };
    },
  };
}

const isConflictCopy = (file: string): boolean => file.includes('.sync-conflict-');

/** The visible files that differ between two folders, by their hashes. */
export function differences(one: TestVault, other: TestVault): readonly string[] {
  const [a, b] = [hashes(one), hashes(other)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((file) => a.get(file) !== b.get(file)).sort();
}

function hashes(vault: TestVault): ReadonlyMap<string, string> {
  return new Map(vault.files().map((file) => [file, createHash('sha256').update(vault.readBytes(file)).digest('hex')]));
}

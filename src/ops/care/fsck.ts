import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import { diagnose } from './diagnose.ts';
import type { Finding, FindingKind } from './finding.ts';
import { fixFindings } from './fix.ts';

/** Something wrong, in words: what, and what to do about it. */
export interface Fault {
  /** `journal`, `history`, `batches`, `trash`, or the kind that doctor gives it. */
  readonly kind: string;
  /** The place to look, vault-relative, with the number of a line behind it where it is one; null: the vault as a whole. */
  readonly path: string | null;
  readonly message: string;
  /** Empty where the message says it. */
  readonly remedy: string;
}

/** What a check of the whole vault came to. */
export interface IntegrityReport {
  readonly counts: {
    readonly notes: number;
    readonly events: number;
    /** Those of them that were not written in this folder by this user. */
    readonly foreign: number;
    /** Writes that can be undone. */
    readonly batches: number;
    /** Files in the trash. */
    readonly trash: number;
  };
  readonly faults: readonly Fault[];
  /** What could not be looked at, and why: nothing is known of it. */
  readonly unchecked: readonly string[];
  /** What was repaired; null when nobody asked for it. */
  readonly repaired: readonly string[] | null;
}

/** What of a doctor's findings says that files or records are not whole; the others are about what notes say. */
const KINDS: ReadonlySet<FindingKind> = new Set<FindingKind>(['vault', 'journal', 'index', 'duplicate-id', 'name-twin', 'unresolved-link']);

/** Checks all that roux keeps, and whether notes, ids and links fit together. */
export const fsck = defineOperation({
  name: 'fsck',
  toolset: null,
  title: 'Check integrity',
  summary: 'Whether everything that roux keeps is whole; repair does what doctor does.',
  effect: 'write',
  writesByOption: true,
  isIdempotent: true,
  input: z.object({ repair: z.boolean().default(false) }),
  async run(context, { repair }): Promise<IntegrityReport> {
    const { vault } = context;
    await vault.refresh('strict');
    let repaired: readonly string[] | null = null;
    if (repair) {
      const ended = await vault.repairRecords();
      const { findings } = await fixFindings(context);
      repaired = [...ended, ...findings.map(({ message, fix }) => `${message}${fix === undefined ? '' : `: ${fix.summary}`}`)];
    }
    const { faults, unchecked, counts } = await vault.checkRecords();
    const { unreadable } = await vault.verify({ rebuild: false });
    const cannotRead = new Set(unreadable);
    const findings = (await diagnose(vault, { rebuild: true })).filter((finding) => isOfIntegrity(finding, cannotRead));
    return {
      counts: { notes: vault.graph.size, ...counts },
      faults: [
        ...faults.map(({ area, path, message, remedy }) => ({ kind: area, path, message: `${path} ${message}.`, remedy })),
        ...findings.map(({ kind, paths, message, fix }) => ({
          kind,
          path: paths[0] ?? null,
          message: message.endsWith('.') ? message : `${message}.`,
          remedy: fix === undefined ? '' : `"roux fsck --repair" would ${fix.summary}.`,
        })),
      ],
      unchecked: [...unchecked, ...unreadable],
      repaired,
    };
  },
});

function isOfIntegrity({ kind, paths, message, fix }: Finding, unreadable: ReadonlySet<string>): boolean {
  if (!KINDS.has(kind) || unreadable.has(message)) return false;
  // What lies in the journal itself was checked with the records.
  if (kind === 'journal') return paths[0]?.startsWith('.roux/journal/rejected') === true;
  // A name that nobody wrote a note for yet is no damage; one whose note is elsewhere now is.
  return kind !== 'unresolved-link' || fix !== undefined;
}

import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import { diagnose } from './diagnose.ts';
import type { Finding, FindingKind } from './finding.ts';
import { fixFindings } from './fix.ts';

/** A problem and its remedy. */
export interface Fault {
  /** `journal`, `history`, `batches`, `trash`, or the kind that doctor gives it. */
  readonly kind: string;
  /** Relative to the vault, with a line number where applicable; null for the vault as a whole. */
  readonly path: string | null;
  readonly message: string;
  /** Empty if the message includes it. */
  readonly remedy: string;
}

/** The result of an integrity check. */
export interface IntegrityReport {
  readonly counts: {
    readonly notes: number;
    readonly events: number;
    /** Lines that were not written in this folder by this user. */
    readonly foreign: number;
    /** Batches that can be undone. */
    readonly batches: number;
    /** Files in the trash. */
    readonly trash: number;
  };
  readonly faults: readonly Fault[];
  /** What could not be checked, and why. */
  readonly unchecked: readonly string[];
  /** What was repaired; null unless requested. */
  readonly repaired: readonly string[] | null;
}

/** The kinds of findings that concern integrity; others are about the content of notes. */
const KINDS: ReadonlySet<FindingKind> = new Set<FindingKind>(['vault', 'journal', 'index', 'duplicate-id', 'name-twin', 'unresolved-link']);

/** Checks the integrity of all records of roux, and of ids and links. */
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
      const ended = await vault.health.repairRecords();
      const { findings } = await fixFindings(context);
      repaired = [...ended, ...findings.map(({ message, fix }) => `${message}${fix === undefined ? '' : `: ${fix}`}`)];
    }
    const { faults, unchecked, counts } = await vault.health.checkRecords();
    const { unreadable } = await vault.health.verify({ rebuild: false });
    const cannotRead = new Set(unreadable);
    const findings = (await diagnose(vault, { rebuild: true, checks: [] })).filter((finding) => isOfIntegrity(finding, cannotRead));
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
  // Other journal entries were checked with the records.
  if (kind === 'journal') return paths[0]?.startsWith('.roux/journal/rejected') === true;
  // A link to a note that was never written is not damage; a link to a moved note is.
  return kind !== 'unresolved-link' || fix !== undefined;
}

import { listAnchoredNotes } from '../../../vault/code/anchored-notes.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Finding } from '../finding.ts';
import { findInCode } from './code-findings.ts';
import { toText } from './finding.ts';
import type { CheckFinding } from './finding.ts';
import { createLineFinder } from './lines.ts';

/** Finds notes that their code has left behind, for doctor. */
export async function findAboutCode(vault: Vault): Promise<readonly Finding[]> {
  const { findings } = await findInCode({ vault, lines: createLineFinder(vault) }, listAnchoredNotes(vault));
  return findings.map(toFinding);
}

/** Converts a finding of a check. */
export function toFinding({ kind, path, line, message }: CheckFinding): Finding {
  return { kind, paths: [path], message: `${path}:${line}: ${toText(message)}` };
}

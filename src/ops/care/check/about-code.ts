import { listAnchoredNotes } from '../../../vault/code/anchored-notes.ts';
import type { OperationContext } from '../../operation.ts';
import type { Finding } from '../finding.ts';
import { findInCode } from './code-findings.ts';
import { toText } from './finding.ts';
import type { CheckFinding } from './finding.ts';
import { createLineFinder } from './lines.ts';

/** Finds notes that their code has left behind, for doctor and vault_health. Warns of what was not looked at. */
export async function findAboutCode({ vault, warn }: Pick<OperationContext, 'vault' | 'warn'>): Promise<readonly Finding[]> {
  const { findings, incomplete } = await findInCode({ vault, lines: createLineFinder(vault) }, listAnchoredNotes(vault));
  for (const text of incomplete) warn(text);
  return findings.map(toFinding);
}

/** Converts a finding of a check. */
export function toFinding({ kind, path, line, message }: CheckFinding): Finding {
  return { kind, paths: [path], message: `${path}:${line}: ${toText(message)}` };
}

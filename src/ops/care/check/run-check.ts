import { CHECK_KINDS } from '../../../config.ts';
import { fileName, foldKey } from '../../../note/path.ts';
import { compareText } from '../../../note/text.ts';
import { listAnchoredNotes } from '../../../vault/code/anchored-notes.ts';
import { missingKey } from '../../../vault/links/renames/plan-retarget.ts';
import type { Vault } from '../../../vault/vault.ts';
import { findInCode } from './code-findings.ts';
import type { CheckFinding } from './finding.ts';
import { createLineFinder } from './lines.ts';
import { findNamedNotes } from './named-paths.ts';
import { findBrokenFrontmatter, findBrokenLinks, findNonconforming, findStaleNotes } from './note-findings.ts';
import type { Checked } from './note-findings.ts';
import { findSince } from './since.ts';
import type { Since } from './since.ts';

/** What is to be checked. */
export interface CheckQuery {
  /** Only notes that the changes since this commit touch. */
  readonly since?: string | undefined;
  /** Only notes in these files and folders, and about them; paths from the vault, which may begin with `../`. Those of folders end with `/`. */
  readonly paths?: readonly string[] | undefined;
}

/** What a check found. */
export interface CheckResult {
  /** The vault's folder from the top of the repository; `''` for the top. */
  readonly place: string;
  /** How many notes were checked. */
  readonly notes: number;
  /** What was changed since the commit that was named. */
  readonly since?: Pick<Since, 'commit' | 'touched'>;
  /** By kind, path and line. */
  readonly findings: readonly CheckFinding[];
  /** What was not looked at, as sentences. */
  readonly incomplete: readonly string[];
  /** Whether there are notes about code, and the repository around the vault is not read, so that nothing is known of it. */
  readonly isCodeUnread: boolean;
}

/** Checks the notes of a vault that are not hidden. Reads the text of those alone that have findings. */
export async function runCheck(vault: Vault, { since, paths }: CheckQuery): Promise<CheckResult> {
  const place = vault.code.place().folder;
  const anchored = listAnchoredNotes(vault);
  const { has: isNamed, ...named } = await findNamedNotes(vault, anchored, paths);
  const changes = since === undefined ? null : await findSince(vault, since, anchored);
  const isWanted = (path: string): boolean => isNamed(path) && (changes === null || changes.isTouched(path));
  const gone = new Set(changes?.goneNotes.map((path) => missingKey(fileName(path))));
  const checked: Checked = {
    vault,
    lines: createLineFinder(vault),
    isWanted,
    isWantedLink: (path, linkpath) => isWanted(path) || (isNamed(path) && gone.has(missingKey(fileName(foldKey(linkpath))))),
  };
  const entries = [...vault.graph.entries()].filter(({ path }) => isWanted(path));
  const code = await findInCode(
    checked,
    anchored.filter(({ entry }) => isWanted(entry.path)),
  );
  const findings = [
    ...code.findings,
    ...findBrokenFrontmatter(entries),
    ...findStaleNotes(checked),
    ...findBrokenLinks(checked, entries),
    ...(await findNonconforming(checked)),
  ];
  return {
    place,
    notes: entries.length,
    ...(changes === null ? {} : { since: { commit: changes.commit, touched: changes.touched.filter(({ path }) => isNamed(path)) } }),
    findings: findings.toSorted(compareFindings),
    incomplete: [...named.incomplete, ...code.incomplete],
    isCodeUnread: vault.code.place().kind === 'barred' && anchored.some(({ entry }) => isWanted(entry.path)),
  };
}

function compareFindings(a: CheckFinding, b: CheckFinding): number {
  return CHECK_KINDS.indexOf(a.kind) - CHECK_KINDS.indexOf(b.kind) || compareText(a.path, b.path) || a.line - b.line;
}

import { CHECK_KINDS } from '../../../config.ts';
import { fileName, foldKey } from '../../../note/path.ts';
import { compareText } from '../../../note/text.ts';
import { AnchorIndex, listAnchoredNotes } from '../../../vault/code/anchored-notes.ts';
import type { AnchoredNote } from '../../../vault/code/anchored-notes.ts';
import { missingKey } from '../../../vault/links/renames/plan-retarget.ts';
import type { Vault } from '../../../vault/vault.ts';
import { findInCode } from './code-findings.ts';
import type { CheckFinding } from './finding.ts';
import { createLineFinder } from './lines.ts';
import { findBrokenFrontmatter, findBrokenLinks, findStaleNotes } from './note-findings.ts';
import type { Checked } from './note-findings.ts';
import { findSince } from './since.ts';
import type { Since } from './since.ts';

/** What is to be checked. */
export interface CheckQuery {
  /** Only notes that the changes since this commit touch. */
  readonly since?: string | undefined;
  /** Only notes in these files and folders, and about them; paths from the vault, which may begin with `../`. */
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
}

/** Checks the notes of a vault that are not hidden. Reads the text of those alone that have findings. */
export async function runCheck(vault: Vault, { since, paths }: CheckQuery): Promise<CheckResult> {
  const place = vault.code.place().folder;
  const anchored = listAnchoredNotes(vault);
  const isNamed = await inPaths(vault, anchored, paths);
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
  const findings = [...code.findings, ...findBrokenFrontmatter(entries), ...findStaleNotes(checked), ...findBrokenLinks(checked, entries)];
  return {
    place,
    notes: entries.length,
    ...(changes === null ? {} : { since: { commit: changes.commit, touched: changes.touched.filter(({ path }) => isNamed(path)) } }),
    findings: findings.toSorted(compareFindings),
    incomplete: code.incomplete,
  };
}

/** Returns a function that takes the notes in files and folders, and the notes about them. */
async function inPaths(vault: Vault, anchored: readonly AnchoredNote[], paths: readonly string[] = []): Promise<(path: string) => boolean> {
  if (paths.length === 0 || paths.includes('')) return () => true;
  const named = new Set(paths);
  const about = new Set<string>();
  if (vault.code.place().kind !== 'barred' && anchored.length > 0) {
    const index = new AnchorIndex(anchored);
    const files = await vault.code.files();
    for (const path of paths) {
      const at = vault.code.fromTop(`./${path}`);
      for (const file of at === null ? [] : [at, ...files.under(at)])
        for (const { note } of index.notesAbout(file)) about.add(note.entry.path);
    }
  }
  return (path) => about.has(path) || named.has(path) || ancestorsOf(path).some((each) => named.has(each));
}

function ancestorsOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, depth) => names.slice(0, depth + 1).join('/'));
}

function compareFindings(a: CheckFinding, b: CheckFinding): number {
  return CHECK_KINDS.indexOf(a.kind) - CHECK_KINDS.indexOf(b.kind) || compareText(a.path, b.path) || a.line - b.line;
}

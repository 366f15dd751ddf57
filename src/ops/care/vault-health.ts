import * as z from 'zod';
import { createSlice, yieldInSlices } from '../../store/slices.ts';
import type { Vault } from '../../vault/vault.ts';
import { loadChecks } from '../call/guards.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { takeWhileFits, shorten } from '../shorten.ts';
import { describeFiles } from './attachments.ts';
import type { CheckResult } from './check/run-check.ts';
import { diagnose } from './diagnose.ts';
import { FINDING_KINDS, reportFinding } from './finding.ts';
import type { Finding, FindingKind, ReportedFinding } from './finding.ts';

/** Limits of a finding in an answer. */
const MAX_PATHS = 10;
const MAX_TOUCHED = 50;
const MAX_MESSAGE_CHARACTERS = 400;
/** Limit of an answer in characters; clients truncate longer ones. */
const MAX_ANSWER_CHARACTERS = 30_000;

/** Returns the problems of the vault to agents. */
export const vaultHealth = defineOperation({
  name: 'vault_health',
  toolset: 'vault',
  isOfWholeVault: true,
  title: 'Vault health',
  summary: 'What is wrong: links, ids, frontmatter, conflicts, cycles; since: what a branch left untrue. "roux doctor --fix" repairs.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    kinds: z.array(z.enum(FINDING_KINDS)).optional().describe('As in counts; duplicate, on request: like texts, names of copies'),
    since: z.string().min(1).max(1000).optional().describe('Only notes touched since a commit; main...: your branch'),
    limit: z.int().min(1).max(200).default(50).describe('Findings'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('Findings to skip'),
    rebuild: z.boolean().default(false).describe('Compare the index with a rebuilt one; slow'),
  }),
  async run(context, { kinds, since, limit, offset, rebuild }) {
    const { vault } = context;
    await vault.refresh('changed');
    const changes = since === undefined ? null : await checkSince(vault, since);
    for (const text of changes?.incomplete ?? []) context.warn(text);
    const all = changes?.found ?? (await findAll(context, { kinds, rebuild }));
    const chosen = kinds === undefined ? all : all.filter(({ kind }) => kinds.includes(kind));
    const shown: ReportedFinding[] = [];
    // For each, the names nearest to what a link leads to are looked for.
    for await (const finding of yieldInSlices(createSlice(), chosen.slice(offset, offset + limit))) shown.push(toAnswer(finding));
    const findings = takeWhileFits(shown, MAX_ANSWER_CHARACTERS);
    const next = offset + findings.length;
    const files = describeFiles(vault.search);
    const problem = vault.search.embeddings.status().store?.problem;
    return {
      notes: changes?.notes ?? vault.graph.size,
      ...(changes === null ? {} : describeTouched(changes)),
      counts: countKinds(all),
      findings,
      ...(files === null ? {} : { files }),
      ...(problem === undefined ? {} : { vectors: `Vectors are not shared with other machines now: ${problem}` }),
      ...(next < chosen.length ? { next_offset: next } : {}),
    };
  },
});

async function checkSince(vault: Vault, since: string): Promise<CheckResult & { readonly found: readonly Finding[] }> {
  const [{ runCheck }, { toFinding }] = await Promise.all([import('./check/run-check.ts'), import('./check/about-code.ts')]);
  const result = await runCheck(vault, { since });
  return { ...result, found: result.findings.map(toFinding) };
}

/** Says which notes are about code that was changed. */
function describeTouched({ since }: CheckResult) {
  const touched = since?.touched ?? [];
  const shown = touched.slice(0, MAX_TOUCHED).map(({ path, files, isNoteChanged }) => ({
    path,
    files: files.slice(0, MAX_PATHS),
    ...(isNoteChanged ? { note_changed: true } : {}),
  }));
  return { since: since?.commit ?? null, touched: shown, ...(touched.length > MAX_TOUCHED ? { touched_total: touched.length } : {}) };
}

/** Duplicates are looked for only on request: that takes longer than all else. */
async function findAll(
  context: OperationContext,
  { kinds = [], rebuild }: { readonly kinds?: readonly FindingKind[] | undefined; readonly rebuild: boolean },
): Promise<readonly Finding[]> {
  const isOnlyThem = kinds.length > 0 && kinds.every((kind) => kind === 'duplicate');
  const { findAboutCode } = await import('./check/about-code.ts');
  const found = isOnlyThem
    ? []
    : await diagnose(context.vault, { rebuild, checks: await loadChecks(context), aboutCode: await findAboutCode(context) });
  if (!kinds.includes('duplicate')) return found;
  const { findDuplicates } = await import('./alike/find-duplicates.ts');
  return [...found, ...(await findDuplicates(context.vault))];
}

function toAnswer(finding: Finding): ReportedFinding {
  const { paths, message, fix, ...rest } = reportFinding(finding);
  return {
    ...rest,
    paths: paths.slice(0, MAX_PATHS),
    message: shorten(message, MAX_MESSAGE_CHARACTERS),
    ...(fix === undefined ? {} : { fix: shorten(fix, MAX_MESSAGE_CHARACTERS) }),
  };
}

function countKinds(findings: readonly Finding[]): Partial<Record<FindingKind, number>> {
  const counts: Partial<Record<FindingKind, number>> = {};
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

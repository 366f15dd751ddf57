import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { GraphView } from '../../../graph/view.ts';
import { linkKey, checkPath, foldKey, joinPath } from '../../../note/path.ts';
import { creationOf } from '../../../vault/plan/file-change.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import { listSome } from '../../shorten.ts';
import type { LeftOut } from '../../okf/read-bundle.ts';
import { folderName, topsFor } from './tops.ts';

/** Reads every file of a bundle as it is. */
export const okfFiles = defineOperation({
  name: 'okf_files',
  toolset: null,
  title: 'Read a bundle',
  summary: 'The bytes of every file of a bundle.',
  effect: 'read',
  isOfWholeVault: true,
  isIdempotent: true,
  input: z.object({ folder: z.string() }),
  async run({ vault }, { folder }) {
    await vault.refresh('changed');
    const { readBundle } = await import('../../okf/read-bundle.ts');
    return readBundle(vault, topsFor(vault, folder)[0] ?? '');
  },
});

/** What an import does, or would do. */
export interface ImportReport {
  /** The folder of the vault; "." is the vault itself. */
  readonly folder: string;
  /** Paths in the vault. */
  readonly created: readonly string[];
  /** Files that are there already with the same bytes. */
  readonly same: readonly string[];
  readonly left: readonly LeftOut[];
  /** Whether the folder is known as a bundle once its files are there; otherwise the setting `okf.bundles` has to name it. */
  readonly isKnown: boolean;
}

const fileInput = z.object({ path: z.string().min(1).max(4096), base64: z.base64() });

/** Brings the files of a bundle into a folder of the vault, byte for byte, in one write. Refuses to replace a file. */
export const okfImport = defineOperation({
  name: 'okf_import',
  toolset: null,
  title: 'Import a bundle',
  summary: 'The files of a bundle into a folder, byte for byte; no file is ever replaced.',
  effect: 'write',
  writesByOption: true,
  isOfWholeVault: true,
  isIdempotent: true,
  input: z.object({
    files: z.array(fileInput).describe('From the top of the bundle'),
    folder: z.string().default('').describe('Of the vault; default: its top'),
    write: z.boolean().default(false).describe('Default: only tell what would be written'),
    declares: z.boolean().default(false).describe('Whether its index.md has okf_version'),
  }),
  async run(context, { files, folder, declares, write }): Promise<ImportReport> {
    const { vault } = context;
    await vault.refresh('strict');
    const top = folderName(folder);
    const plan = (graph: GraphView) => {
      const { changes, ...report } = planImport({ graph, notes: vault.notes }, { files, top });
      return { files: changes, result: { ...report, folder: top || '.', isKnown: declares || graph.bundles.tops.includes(top) } };
    };
    const meta = writeMeta(context, 'okf_import');
    return (await vault.writes.write({ ...meta, dryRun: !write || meta.dryRun === true }, plan)).result;
  },
});

function planImport(
  { graph, notes }: { readonly graph: GraphView; readonly notes: Pick<Vault['notes'], 'readBytes'> },
  { files, top }: { readonly files: readonly z.output<typeof fileInput>[]; readonly top: string },
): Pick<ImportReport, 'created' | 'same' | 'left'> & { readonly changes: readonly FileChange[] } {
  const changes: FileChange[] = [];
  const created: string[] = [];
  const same: string[] = [];
  const left: LeftOut[] = [];
  const taken: string[] = [];
  const names = new Set<string>();
  for (const { path: own, base64 } of files) {
    const path = joinPath(top, own);
    const fault = checkPath(path) ?? (names.has(foldKey(path)) ? 'another file of the bundle has this name but for case' : null);
    names.add(foldKey(path));
    if (fault !== null) {
      left.push({ path: own, reason: fault });
      continue;
    }
    const bytes = Buffer.from(base64, 'base64');
    const there = graph.byKey(linkKey(path)).find((other) => foldKey(other) === foldKey(path));
    if (there === undefined) {
      changes.push(creationOf(path, { bytes }));
      created.push(path);
    } else if (there === path && Buffer.from(notes.readBytes(path) ?? []).equals(bytes)) same.push(path);
    else taken.push(there);
  }
  if (taken.length > 0) {
    const message = `${taken.length === 1 ? 'A file is' : `${taken.length} files are`} there already with other content: ${listSome(taken)}. Nothing was brought in, since no file is replaced; choose another folder.`;
    throw new RouxError('NODE_EXISTS', message, { paths: taken.slice(0, 100) });
  }
  return { changes, created, same, left };
}

import { isRecord } from '../../../../is-record.ts';
import type { SetupFiles } from '../../../../ports.ts';

const CONFIG_FILE = '.rouxrc.json';

/**
 * Adds a folder to the setting `okf.bundles` of a vault; `.` is the vault itself. Returns null, or why it was not added as a clause. All
 * other settings stay.
 */
export async function declareBundle(files: SetupFiles, folder: string): Promise<string | null> {
  const seen = files.look(CONFIG_FILE);
  if (seen.kind === 'folder') return 'it is a folder';
  if (seen.kind === 'barred') return seen.reason;
  const text = seen.kind === 'file' ? Buffer.from(seen.bytes).toString('utf8') : '{}';
  let settings: unknown;
  try {
    settings = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return 'it is no JSON';
  }
  const okf = isRecord(settings) ? (settings['okf'] ?? {}) : null;
  const bundles: unknown = isRecord(okf) ? (okf['bundles'] ?? []) : null;
  if (!isRecord(settings) || !isRecord(okf) || !Array.isArray(bundles)) return 'its setting okf.bundles is no list';
  if (bundles.includes(folder)) return null;
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? 2;
  const next = { ...settings, okf: { ...okf, bundles: [...(bundles as unknown[]), folder] } };
  return files.write(CONFIG_FILE, { bytes: Buffer.from(`${JSON.stringify(next, null, indent)}\n`), seen });
}

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EmbeddedKind, Embedder } from '../../../src/ports.ts';

/** Vectors of texts, embedded once a machine: they outlive the run in the system's temporary folder, by the hash of their text. */
export interface KeptVectors {
  vectors(texts: readonly string[], kind: EmbeddedKind): Promise<readonly Float32Array[]>;
  /** How many were embedded now. */
  readonly made: number;
  save(): void;
}

/** `open` is called only where a vector is missing. */
export function openKeptVectors(id: string, open: () => Promise<Embedder>): KeptVectors {
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
  const user = process.getuid?.() ?? 'user';
  const file = join(process.env['ROUX_TEST_KEPT'] ?? tmpdir(), `roux-test-vectors-${user}`, `${hashOf(id)}.json`);
  const kept = new Map<string, string>(read(file));
  let embedder: Promise<Embedder> | null = null;
  let made = 0;
  return {
    async vectors(texts, kind) {
      const keyOf = (text: string): string => hashOf(kind === 'beginning' ? `beginning\n${text}` : text);
      const missing = texts.filter((text) => !kept.has(keyOf(text)));
      if (missing.length > 0) {
        embedder ??= open();
        const vectors = await (await embedder).embed(missing, kind);
        for (const [at, text] of missing.entries()) kept.set(keyOf(text), Buffer.from(vectors[at]!.slice().buffer).toString('base64'));
        made += missing.length;
      }
      return texts.map((text) => new Float32Array(new Uint8Array(Buffer.from(kept.get(keyOf(text)) ?? '', 'base64')).buffer));
    },
    get made() {
      return made;
    },
    save() {
      if (made === 0) return;
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.${process.pid}`, JSON.stringify([...kept]));
      renameSync(`${file}.${process.pid}`, file);
    },
  };
}

function read(file: string): readonly (readonly [string, string])[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly (readonly [string, string])[];
  } catch {
    return [];
  }
}

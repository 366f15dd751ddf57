import { expect, it } from 'vitest';
import { toFields } from '../../../src/graph/entry.ts';
import { packedColumns } from '../../../src/graph/packed-graph.ts';
import type { PackedColumns } from '../../../src/graph/packed-graph.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { parseNote } from '../../../src/note/parse.ts';
import { packKnowledge } from '../../../src/ops/knowledge/stored/cached/knowledge-cache.ts';
import { runAtOnce } from '../../../src/store/slices.ts';
import { readBlocks } from '../../../src/vault/cache/blocks.ts';
import { encodeSnapshot } from '../../../src/vault/cache/snapshot.ts';

/** More than a call may have arguments. */
const NOTES = 200_000;
const PATH = 'a.md' as NotePath;
const HASH = '0'.repeat(64);

it('notes are stored for the next start however many they are', () => {
  const stamp = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n };
  const fields = toFields(parseNote(PATH, ''), { stamp, hash: HASH });
  const entries = Array.from({ length: NOTES }, (_, at) => ({ ...fields, path: `${at}.md` as NotePath }));
  const columns = Object.fromEntries(packedColumns.map((name) => [name, new Int32Array(0)])) as PackedColumns;
  const graph = { entries, attachments: [], keys: [], linkpaths: [], texts: [], facets: [], columns };
  const blocks = readBlocks(Buffer.concat(runAtOnce(encodeSnapshot({ graph, seen: entries.map(() => ({ stamp })) }))));
  expect(blocks.at(-1)?.length).toBe(NOTES * (blocks.at(-1)?.toString('latin1').indexOf('][') ?? 0) + NOTES);
});

it('notes of the knowledge graph are stored for the next start however many they are', () => {
  const notes = Array.from({ length: NOTES }, () => ({ path: PATH, hash: HASH, modifiedMs: 0, stored: null, content: Buffer.from('[]') }));
  const blocks = readBlocks(Buffer.concat(runAtOnce(packKnowledge({ root: '', notes, texts: [], resolve: () => null }))));
  expect(JSON.parse(blocks[1]?.toString('utf8') ?? '')).toHaveLength(NOTES);
  expect(blocks[2]?.length).toBe(NOTES * 2);
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inputSchema, readArguments } from '../../src/ops/arguments.ts';

const input = z.object({
  id: z.string(),
  limit: z.int().min(1).max(50).default(10),
  flag: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  nodes: z.array(z.object({ ref: z.string(), count: z.number().optional() })).optional(),
  free: z.record(z.string(), z.unknown()).optional(),
  either: z.union([z.string(), z.number()]).optional(),
});

describe('arguments', () => {
  it('are read as they are meant: JSON text for lists and maps, text for numbers and flags', () => {
    const { values, unknown } = readArguments(
      { input },
      { id: '5', limit: '7', flag: 'true', tags: '["a"]', nodes: '[{"ref": "r", "count": "3"}]', free: '{"x": "1"}', either: '5' },
    );
    expect(values).toEqual({ id: '5', limit: 7, flag: true, tags: ['a'], nodes: [{ ref: 'r', count: 3 }], free: { x: '1' }, either: '5' });
    expect(unknown).toEqual([]);
  });

  it('what is not what it pretends to be is left for the check', () => {
    for (const values of [{ limit: '7 apples' }, { limit: '' }, { tags: '[unclosed' }, { flag: 'yes' }, { nodes: '{"ref": 1}' }]) {
      expect(readArguments({ input }, values).values).toEqual(values);
    }
  });

  it('names unknown fields by their path and leaves them out, but keeps free maps whole', () => {
    const { values, unknown } = readArguments({ input }, { id: 'x', nope: 1, nodes: [{ ref: 'r', rank: 2 }], free: { any: { thing: 1 } } });
    expect(values).toEqual({ id: 'x', nodes: [{ ref: 'r' }], free: { any: { thing: 1 } } });
    expect(unknown).toEqual(['nope', 'nodes[0].rank']);
  });

  it('node_id and id are the same argument', () => {
    expect(readArguments({ input }, { node_id: 'x' }).values).toEqual({ id: 'x' });
    expect(readArguments({ input: z.object({ node_id: z.string() }) }, { id: 'x' }).values).toEqual({ node_id: 'x' });
    expect(readArguments({ input }, { id: 'x', node_id: 'y' }).unknown).toEqual(['node_id']);
  });

  it('does not follow names of the prototype', () => {
    const { values, unknown } = readArguments(
      { input },
      JSON.parse('{"id": "x", "__proto__": {"a": 1}, "constructor": 1}') as Record<string, unknown>,
    );
    expect(Object.keys(values)).toEqual(['id']);
    expect(unknown).toEqual(['__proto__', 'constructor']);
  });

  it('the schema says nothing that only costs characters', () => {
    expect(JSON.stringify(inputSchema({ input: z.object({ n: z.int() }) }))).toBe(
      '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}',
    );
  });
});

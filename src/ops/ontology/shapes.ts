import * as z from 'zod';

/** Parts of the input schemas and of the answers of the ontology tools. */
export const typeName = z.string().min(1).max(200);
export const names = z.array(typeName);
export const scalars = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
export const reference = z.string().min(1).describe('Id, path, title or alias of a node');
export const connectionId = z.string().min(1).describe('Id of a connection');
export const offset = z.int().min(0).max(10_000_000).default(0).describe('Ids to skip');
/** Whether a list shows what its ids stand for. */
export const include = z.boolean().default(false).describe('Also the nodes, with their connections');
export const exactProperties = scalars.optional().describe('Equal values: {"status": "open"}');
export const connectionRules = {
  from_types: names.min(1).describe('Node types that it may start at'),
  to_types: names.min(1).describe('Node types that it may lead to'),
  required_properties: names.optional().describe('Properties that each connection must have'),
};
export const connectionType = z.object({ name: typeName.describe('Such as WORKS_AT'), ...connectionRules });
/** What a connection may hold. */
export const text = {
  content: z.string().optional().describe('Text of the connection'),
  format: z.string().max(100).optional().describe('Of content, such as md or json'),
};

/** Removes keys whose value is undefined. */
export function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}

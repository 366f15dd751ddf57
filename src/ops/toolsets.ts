import { RouxError } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Operation, Toolset } from './operation.ts';

/** The groups of tools, in the order of the documentation. */
export const TOOLSETS: readonly Toolset[] = ['vault', 'tasks', 'memory', 'ontology', 'knowledge', 'admin'];

/** What `default` stands for. */
export const DEFAULT_TOOLSETS: readonly Toolset[] = ['vault', 'tasks', 'memory'];

export interface Selection {
  readonly toolsets: readonly string[];
  readonly tools?: readonly string[] | undefined;
  readonly readOnly: boolean;
}

/** The toolsets that the names stand for; an unknown name is `INVALID_CONFIG` and lists the valid ones. */
export function chooseToolsets(names: readonly string[]): ReadonlySet<Toolset> {
  const valid = [...TOOLSETS, 'default', 'all'];
  const chosen = new Set<Toolset>();
  for (const name of names) {
    const known = TOOLSETS.find((toolset) => toolset === name);
    if (known !== undefined) chosen.add(known);
    else if (name === 'default') DEFAULT_TOOLSETS.forEach((toolset) => chosen.add(toolset));
    else if (name === 'all') TOOLSETS.forEach((toolset) => chosen.add(toolset));
    else {
      const message = `Unknown toolset "${name}"${didYouMean(name, valid)} Valid toolsets: ${valid.join(', ')}.`;
      throw new RouxError('INVALID_CONFIG', message, { valid });
    }
  }
  return chosen;
}

/** The operations to offer, sorted by name. An unknown tool name is `INVALID_CONFIG` and lists the valid ones. */
export function chooseOperations(all: readonly Operation[], selection: Selection): readonly Operation[] {
  const toolsets = chooseToolsets(selection.toolsets);
  const valid = all.map((operation) => operation.name).sort();
  for (const name of selection.tools ?? []) {
    if (valid.includes(name)) continue;
    throw new RouxError('INVALID_CONFIG', `Unknown tool "${name}"${didYouMean(name, valid)} Valid tools: ${valid.join(', ')}.`, { valid });
  }
  return all
    .filter((operation) => (selection.tools === undefined ? toolsets.has(operation.toolset) : selection.tools.includes(operation.name)))
    .filter((operation) => !selection.readOnly || operation.effect === 'read' || operation.writesByOption === true)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

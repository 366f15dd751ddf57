import { RouxError } from '../errors.ts';
import { didYouMean } from '../suggest.ts';
import type { Operation, ToolsetName } from './operation.ts';

/** The groups of tools, in the order of the documentation. */
export const TOOLSETS: readonly ToolsetName[] = ['vault', 'tasks', 'memory', 'ontology', 'knowledge', 'admin'];

/** The toolsets that `default` means. */
export const DEFAULT_TOOLSETS: readonly ToolsetName[] = ['vault', 'tasks', 'memory'];

/** The valid toolset names in a configuration. */
export const TOOLSET_NAMES: readonly string[] = [...TOOLSETS, 'default', 'all'];

export interface Selection {
  readonly toolsets: readonly string[];
  /** Offer only these tools, whatever the toolsets. */
  readonly tools?: readonly string[] | undefined;
  readonly readOnly: boolean;
}

/** Returns the selected toolsets. Throws `INVALID_CONFIG` with the valid names for an unknown name or an empty selection. */
export function chooseToolsets({ toolsets, tools }: Pick<Selection, 'toolsets' | 'tools'>): ReadonlySet<ToolsetName> {
  const chosen = new Set(toolsets.flatMap(toolsetsOf));
  if (chosen.size > 0 || tools !== undefined) return chosen;
  throw nothingChosen('toolset', TOOLSET_NAMES);
}

function toolsetsOf(name: string): readonly ToolsetName[] {
  if (name === 'all') return TOOLSETS;
  if (name === 'default') return DEFAULT_TOOLSETS;
  const known = TOOLSETS.find((toolset) => toolset === name);
  if (known === undefined) throw unknownName('toolset', name, TOOLSET_NAMES);
  return [known];
}

/** Returns the operations to offer as tools, sorted by name. Throws `INVALID_CONFIG` with the valid names for an unknown name or an empty selection. */
export function chooseOperations(all: readonly Operation[], selection: Selection): readonly Operation[] {
  const toolsets = chooseToolsets(selection);
  const tools = all.filter(({ toolset }) => toolset !== null);
  const valid = tools.map(({ name }) => name).sort();
  const unknown = selection.tools?.find((name) => !valid.includes(name));
  if (unknown !== undefined) throw unknownName('tool', unknown, valid);
  if (selection.tools?.length === 0) throw nothingChosen('tool', valid);
  return tools
    .filter(({ name, toolset }) => selection.tools?.includes(name) ?? (toolset !== null && toolsets.has(toolset)))
    .filter((operation) => !selection.readOnly || operation.effect === 'read' || operation.writesByOption === true)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function unknownName(kind: 'toolset' | 'tool', name: string, valid: readonly string[]): RouxError {
  return new RouxError('INVALID_CONFIG', `Unknown ${kind} "${name}"${didYouMean(name, valid)} Valid ${kind}s: ${valid.join(', ')}.`, {
    valid,
  });
}

function nothingChosen(kind: 'toolset' | 'tool', valid: readonly string[]): RouxError {
  return new RouxError('INVALID_CONFIG', `No ${kind} is chosen, so there would be no tools. Valid ${kind}s: ${valid.join(', ')}.`, {
    valid,
  });
}

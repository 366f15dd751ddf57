import { careToolset } from './care/operations.ts';
import { knowledgeToolset } from './knowledge/operations.ts';
import { memoryToolset } from './memory/operations.ts';
import { noteToolset } from './notes/operations.ts';
import { ontologyToolset } from './ontology/operations.ts';
import type { Operation } from './operation.ts';
import { taskToolset } from './tasks/operations.ts';

export const allToolsets = [noteToolset, taskToolset, memoryToolset, ontologyToolset, knowledgeToolset, careToolset] as const;

/** All operations. `toolsets.ts` chooses which of them a client is offered as tools. */
export const allOperations: readonly Operation[] = allToolsets.flatMap<Operation>((toolset) => toolset.operations);

/** Loads the operations of the web page. */
export async function loadPageOperations(): Promise<readonly Operation[]> {
  return (await Promise.all(allToolsets.flatMap((toolset) => toolset.pageOperations?.() ?? []))).flat();
}

type OperationsByName = { readonly [Each in (typeof allToolsets)[number]['operations'][number] as Each['name']]: Each };

/** The operations by tool name, each with the types of its arguments and its answer, for programs that embed roux. */
// `fromEntries` loses the relation between a name and its operation.
export const operations = Object.fromEntries(allOperations.map((operation) => [operation.name, operation])) as unknown as OperationsByName;

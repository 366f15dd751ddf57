import { careOperations } from './care/operations.ts';
import { knowledgeOperations } from './knowledge/operations.ts';
import { memoryOperations } from './memory/operations.ts';
import { noteOperations } from './notes/operations.ts';
import { ontologyOperations } from './ontology/operations.ts';
import type { Operation } from './operation.ts';
import { taskOperations } from './tasks/operations.ts';

const all = [
  ...noteOperations,
  ...taskOperations,
  ...memoryOperations,
  ...ontologyOperations,
  ...knowledgeOperations,
  ...careOperations,
] as const;

/** All operations. `toolsets.ts` chooses which of them a client is offered as tools. */
export const allOperations: readonly Operation[] = all;

/** The operations by tool name, each with the types of its arguments and its answer, for programs that embed roux. */
export const operations: OperationsByName = byName(all);

type OperationsByName = { readonly [Each in (typeof all)[number] as Each['name']]: Each };

function byName(list: typeof all): OperationsByName {
  // `fromEntries` loses the relation between a name and its operation.
  return Object.fromEntries(list.map((operation) => [operation.name, operation])) as unknown as OperationsByName;
}

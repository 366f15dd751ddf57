import { findDeadlocks } from '../../graph/tasks/deadlock.ts';
import { TaskGraph } from '../../graph/tasks/task-graph.ts';
import { isKnownType, joinNames, getOntology } from '../vault-ontology.ts';
import { listSome } from './finding.ts';
import type { Finding, CheckInput } from './finding.ts';

/** Finds an unreadable ontology, and notes of unknown types. */
export function findUnknownTypes({ vault, graph }: CheckInput): readonly Finding[] {
  const { ontology, problem } = getOntology(vault);
  const broken: readonly Finding[] = problem === null ? [] : [{ kind: 'ontology', paths: ['ontology.md'], message: problem }];
  if (ontology === null) return broken;
  const unknown = graph.types().filter(({ type }) => !isKnownType(ontology, type));
  return [
    ...broken,
    ...unknown.map(({ type }): Finding => {
      const paths = graph.byType(type).map(({ path }) => path);
      return {
        kind: 'unknown-type',
        paths,
        message: `the ontology has no node type "${type}", only ${joinNames(ontology.node_types)}; in ${listSome(paths)}`,
      };
    }),
  ];
}

/** Finds cycles of open tasks, none of which can be completed. */
export function findTaskCycles({ vault, graph }: CheckInput): readonly Finding[] {
  const tasks = new TaskGraph(graph, vault.settings.config.tasks.root);
  try {
    const all = tasks.projects().flatMap((project) => [...project.tasks]);
    return findDeadlocks(all, (path) => tasks.get(path)).map((group): Finding => {
      const paths = group.map(({ note }) => note.path);
      const what = group.length === 1 ? 'waits for itself' : 'wait for one another';
      return { kind: 'task-cycle', paths, message: `${listSome(paths)} ${what}; take one dependency or parent away` };
    });
  } finally {
    tasks.close();
  }
}

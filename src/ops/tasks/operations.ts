import { defineToolset } from '../operation.ts';
import { graphConnect } from './graph-connect.ts';
import { graphContext } from './graph-context.ts';
import { graphHistory } from './graph-history.ts';
import { graphNext } from './graph-next.ts';
import { graphOnboard } from './graph-onboard.ts';
import { graphOpen } from './graph-open.ts';
import { graphPlan } from './graph-plan.ts';
import { graphQuery } from './graph-query.ts';
import { graphRestructure } from './graph-restructure.ts';
import { graphUpdate } from './graph-update.ts';
import { planTaskRemoval } from './draft/delete-tasks.ts';
import { checkTaskRenames } from './draft/rename-guard.ts';
import { graphHandoff } from './handoff/graph-handoff.ts';
import type * as keeper from './sessions/keep-claims.ts';

/** What keeps the claims of callers, from the first call of a task tool on. */
let keeping: Promise<typeof keeper> | undefined;

/** The tools of the task graph. */
export const taskToolset = defineToolset({
  name: 'tasks',
  operations: [
    graphOpen,
    graphPlan,
    graphNext,
    graphContext,
    graphUpdate,
    graphConnect,
    graphQuery,
    graphRestructure,
    graphHandoff,
    graphHistory,
    graphOnboard,
  ],
  guards: { checkRenames: checkTaskRenames, planRemoval: planTaskRemoval },
  callers: {
    async follow(whole, context, operation) {
      if (operation.toolset === 'tasks') keeping ??= import('./sessions/keep-claims.ts');
      return (await keeping)?.claimKeeperOf(whole).follow(context, operation) ?? [];
    },
    leave: async (whole, connection) => (await keeping)?.claimKeeperOf(whole).leave(connection),
  },
  async checks(vault) {
    const { findTaskCycles } = await import('./view/checks.ts');
    return { all: () => findTaskCycles(vault) };
  },
  pageOperations: async () => (await import('./page/operations.ts')).taskPageOperations,
});

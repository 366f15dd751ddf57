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
import { ClaimWatch } from './sessions/watch-claims.ts';
import type { Vault } from '../../vault/vault.ts';

/** What keeps the claims of callers, from the first call of a task tool on, or from the first session on that is found ended. */
let keeping: Promise<typeof keeper> | undefined;

function loadKeeper(): Promise<typeof keeper> {
  return (keeping ??= import('./sessions/keep-claims.ts'));
}

const createWatch = (whole: Vault): ClaimWatch =>
  new ClaimWatch(whole, () => void loadKeeper().then(({ claimKeeperOf }) => claimKeeperOf(whole).start()));

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
      if (operation.toolset === 'tasks') void loadKeeper();
      return (await keeping)?.claimKeeperOf(whole).follow(context, operation) ?? [];
    },
    watch(whole) {
      whole.derived(createWatch);
    },
    leave: async (whole, connection) => (await keeping)?.claimKeeperOf(whole).leave(connection),
  },
  async checks(vault) {
    const { findTaskCycles } = await import('./view/checks.ts');
    return { all: () => findTaskCycles(vault) };
  },
  pageOperations: async () => (await import('./page/operations.ts')).taskPageOperations,
});

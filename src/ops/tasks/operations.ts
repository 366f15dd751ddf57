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
import { checkTaskUndo } from './view/claims.ts';
import { graphHandoff } from './handoff/graph-handoff.ts';
import type * as keeper from './sessions/keep-claims.ts';
import type { Vault } from '../../vault/vault.ts';

/** What keeps the claims of callers, from the first call of a task tool on, or from the first session on that is found ended. */
let keeping: Promise<typeof keeper> | undefined;

function loadKeeper(): Promise<typeof keeper> {
  return (keeping ??= import('./sessions/keep-claims.ts'));
}

/** How long after its start a process begins to look whether others were killed. */
const WATCH_AFTER_MS = 2_000;

/** Watches from a while after the start on, so that no start waits for the code that does it. */
function createWatch(whole: Vault): { close(): void } {
  let isClosed = false;
  let watch: { close(): void } | null = null;
  const begin = async (): Promise<void> => {
    const { ClaimWatch } = await import('./sessions/watch-claims.ts');
    if (!isClosed) watch = new ClaimWatch(whole, () => void loadKeeper().then(({ claimKeeperOf }) => claimKeeperOf(whole).start()));
  };
  const timer = setTimeout(() => void begin(), WATCH_AFTER_MS).unref();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      watch?.close();
    },
  };
}

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
  guards: { checkRenames: checkTaskRenames, checkUndo: checkTaskUndo, planRemoval: planTaskRemoval },
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
  prime: async (context) => (await import('./view/prime-tasks.ts')).primeTasks(context),
  pageOperations: async () => (await import('./page/operations.ts')).taskPageOperations,
});

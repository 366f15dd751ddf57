import type { CommandContext } from '../../command.ts';

/** What a pull or push is asked to do. */
export interface Asked {
  /** `owner/name`. */
  readonly repository: string | undefined;
  readonly project: string | undefined;
  /** Tasks for which issues are opened. */
  readonly opened: readonly string[];
  /** One side wins where both changed a field. */
  readonly isForced: boolean;
  /** Do it without a question. */
  readonly isAgreed: boolean;
  readonly isDryRun: boolean;
}

/** Returns whether to go on: as the options say, else as a person at the terminal says, who is shown first what would change. */
export async function isAgreed(
  { program, isJson }: Pick<CommandContext, 'program' | 'isJson'>,
  asked: Pick<Asked, 'isAgreed' | 'isDryRun'>,
  { show, question }: { readonly show: () => void; readonly question: string },
): Promise<boolean> {
  if (asked.isDryRun) return false;
  if (asked.isAgreed || !program.canAsk || isJson) return asked.isAgreed;
  show();
  const { confirm } = await import('../../pick/prompts.ts');
  return await confirm(question);
}

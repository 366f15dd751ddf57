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

/** Whether to go on, and whether a person has seen what would change. */
interface Agreement {
  readonly isGiven: boolean;
  readonly isShown: boolean;
}

export const REFUSED: Agreement = { isGiven: false, isShown: false };

/** Asks whether to go on: the options, else the person at the terminal, who is shown first what would change. */
export async function agree(
  { program, isJson }: Pick<CommandContext, 'program' | 'isJson'>,
  asked: Pick<Asked, 'isAgreed' | 'isDryRun'>,
  { show, question }: { readonly show: () => void; readonly question: string },
): Promise<Agreement> {
  if (asked.isDryRun) return REFUSED;
  if (asked.isAgreed || !program.canAsk || isJson) return { isGiven: asked.isAgreed, isShown: false };
  show();
  const { confirm } = await import('../../pick/prompts.ts');
  return { isGiven: await confirm(question), isShown: true };
}

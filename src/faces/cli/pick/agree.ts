import type { CommandContext } from '../command.ts';

/** How a command that shows first what it would change was called. */
export interface AskedChange {
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
  asked: AskedChange,
  { show, question }: { readonly show: () => void; readonly question: string },
): Promise<Agreement> {
  if (asked.isDryRun) return REFUSED;
  if (asked.isAgreed || !program.canAsk || isJson) return { isGiven: asked.isAgreed, isShown: false };
  show();
  const { confirm } = await import('./prompts.ts');
  return { isGiven: await confirm(question), isShown: true };
}

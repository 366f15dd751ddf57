/** An item to choose from. */
export interface Choice {
  /** The argument for the command. */
  readonly value: string;
  readonly label: string;
  /** Where it is, shown dimmed. */
  readonly hint: string;
}

const MAX_VISIBLE_CHOICES = 12;

/** Lets the user choose from a list that narrows as they type; null if they cancel. Labels and hints must be free of control characters. */
export async function chooseInList(choices: readonly Choice[], prompt: string): Promise<string | null> {
  const { autocomplete, isCancel } = await import('@clack/prompts');
  const chosen = await autocomplete({
    message: prompt,
    options: choices.map(({ value, label, hint }) => ({ value, label, hint })),
    maxItems: MAX_VISIBLE_CHOICES,
    filter: (typed, { label = '', hint = '' }) => holdsWords(`${label} ${hint}`, typed),
  });
  return isCancel(chosen) || chosen === undefined ? null : chosen;
}

/** Asks for one line of text, starting from `initial`; null if the user cancels. */
export async function typeText(prompt: string, initial: string): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts');
  const typed = await text({
    message: prompt,
    initialValue: initial,
    validate: (value) => ((value ?? '').trim() === '' ? 'A name is needed.' : undefined),
  });
  return isCancel(typed) ? null : typed.trim();
}

/** Asks for a line that the terminal does not show, again where `faultIn` says what is wrong with it; null if the user cancels. */
export async function typeSecret(prompt: string, faultIn: (typed: string) => string | null): Promise<string | null> {
  const { isCancel, password } = await import('@clack/prompts');
  const typed = await password({ message: prompt, mask: '', clearOnError: true, validate: (value) => faultIn(value ?? '') ?? undefined });
  return isCancel(typed) ? null : typed;
}

/** Asks a question; true if the user says yes. Enter alone says no. */
export async function confirm(question: string): Promise<boolean> {
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}

/** Whether a text contains all of the words, ignoring case. */
function holdsWords(text: string, words: string): boolean {
  const folded = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}

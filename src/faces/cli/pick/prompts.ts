import type { Choice } from './choice.ts';

/** Lines of a list that are seen at once. */
const MAX_SEEN = 12;

/** Lets a person choose in a list that narrows as they type; null where they leave. What is shown holds nothing that a terminal acts on. */
export async function chooseInList(choices: readonly Choice[], prompt: string): Promise<string | null> {
  const { autocomplete, isCancel } = await import('@clack/prompts');
  const chosen = await autocomplete({
    message: prompt,
    options: choices.map(({ value, label, hint }) => ({ value, label, hint })),
    maxItems: MAX_SEEN,
    filter: (typed, { label = '', hint = '' }) => holdsWords(`${label} ${hint}`, typed),
  });
  return isCancel(chosen) || chosen === undefined ? null : chosen;
}

/** Asks for a text of one line, with one to begin from; null where the person leaves. */
export async function typeText(prompt: string, initial: string): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts');
  const typed = await text({
    message: prompt,
    initialValue: initial,
    validate: (value) => ((value ?? '').trim() === '' ? 'A name is needed.' : undefined),
  });
  return isCancel(typed) ? null : typed.trim();
}

/** Whether a text holds every one of some words, in any case. */
function holdsWords(text: string, words: string): boolean {
  const folded = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}

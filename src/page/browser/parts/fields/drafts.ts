import { useState } from 'preact/hooks';

/** What was typed into forms that were closed without being sent, by form and field, until the page is closed. */
const drafts = new Map<string, string>();

/** The value of a field that survives closing its form. `forget` is for what was sent. */
export function useDraft(form: string, field: string, initial = ''): readonly [string, (text: string) => void, () => void] {
  const key = `${form} ${field}`;
  const [text, setText] = useState(drafts.get(key) ?? initial);
  const set = (next: string): void => {
    if (next === initial) drafts.delete(key);
    else drafts.set(key, next);
    setText(next);
  };
  return [text, set, () => drafts.delete(key)];
}

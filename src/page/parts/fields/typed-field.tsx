import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate, withQuery } from '../../router.ts';

/** How long one has stopped typing before the address follows. */
const TYPING_MS = 200;

/** A field whose text is kept in the address, a moment after it was typed. */
export function TypedField({
  name,
  label,
  value,
  type = 'search',
  placeholder,
  isMain = false,
  clears = [],
}: {
  /** The key in the address. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly type?: 'search' | 'date';
  readonly placeholder?: string;
  /** `/` and Ctrl-K put the cursor here. */
  readonly isMain?: boolean;
  /** Other keys of the address that mean nothing for other words. */
  readonly clears?: readonly string[];
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    // The way back in the browser changes the words too.
    if (value !== text.trim()) setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const common = {
    'aria-label': label,
    value: text,
    dir: 'auto' as const,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(isMain ? { 'data-main': true } : {}),
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => {
      const typed = event.currentTarget.value;
      setText(typed);
      clearTimeout(timer.current);
      const others = Object.fromEntries(clears.map((key) => [key, null]));
      timer.current = setTimeout(() => navigate(withQuery({ ...others, [name]: typed.trim() }), { replace: true }), TYPING_MS);
    },
  };
  return type === 'date' ? <input type="date" {...common} /> : <input type="search" {...common} />;
}

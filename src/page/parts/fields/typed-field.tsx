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
  /** What this field last put into the address: that coming back must not take away what was typed since. */
  const sent = useRef(value);
  useEffect(() => {
    if (value === sent.current) return;
    // The way back in the browser changes the words too.
    sent.current = value;
    clearTimeout(timer.current);
    setText(value);
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
      timer.current = setTimeout(() => {
        sent.current = typed.trim();
        navigate(withQuery({ ...others, [name]: sent.current }), { replace: true });
      }, TYPING_MS);
    },
  };
  return type === 'date' ? <input type="date" {...common} /> : <input type="search" {...common} />;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate, withQuery } from '../../router.ts';

/** Delay after the last keystroke before the address is updated. */
const TYPING_MS = 200;

/** An input whose text is stored in the query of the address. */
export function TypedField({
  name,
  label,
  value,
  type = 'search',
  placeholder,
  isMain = false,
  clears = [],
}: {
  /** Name of the query parameter. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly type?: 'search' | 'date';
  readonly placeholder?: string;
  /** Whether `/` and Ctrl-K focus this field. */
  readonly isMain?: boolean;
  /** Query parameters that are removed when the text changes. */
  readonly clears?: readonly string[];
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The last text that this field wrote to the address. When it comes back as `value`, newer typing must not be overwritten. */
  const sent = useRef(value);
  useEffect(() => {
    if (value === sent.current) return;
    // The address was changed elsewhere, for example by the browser's back button.
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

import { useEffect, useState } from 'preact/hooks';

/** Copies a text to the clipboard. `what`: what is copied, for screen readers. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Without HTTPS on another machine, browsers have no clipboard for pages.
      setState('failed');
    }
  };
  return (
    <button type="button" class="copy-button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      <span role="status">{state === 'copied' ? 'Copied' : state === 'failed' ? 'Select the text and copy it' : 'Copy'}</span>
    </button>
  );
}

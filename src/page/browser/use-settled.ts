import { useEffect, useState } from 'preact/hooks';

/** Returns a text once it has not changed for `pauseMs` milliseconds, and the one before until then. */
export function useSettled(text: string, pauseMs: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

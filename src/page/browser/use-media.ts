import { useEffect, useMemo, useState } from 'preact/hooks';

/** Returns whether a media query holds, and follows it. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query]);
  const [holds, setHolds] = useState(media.matches);
  useEffect(() => {
    const follow = (): void => setHolds(media.matches);
    follow();
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [media]);
  return holds;
}

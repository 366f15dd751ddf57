import { useEffect } from 'preact/hooks';
import { session } from '../session.ts';

/** Sets the title in the browser's tab and history. */
export function usePageTitle(title: string | null): void {
  const vault = session.value?.vault ?? 'roux';
  useEffect(() => {
    document.title = title === null || title === '' ? vault : `${title} · ${vault}`;
  }, [title, vault]);
}

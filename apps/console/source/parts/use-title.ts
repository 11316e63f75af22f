import { useEffect } from 'react';

/** The page's name, in tabs, in bookmarks, and for those who hear it. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tributary`;
  }, [title]);
}

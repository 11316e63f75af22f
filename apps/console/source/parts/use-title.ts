import { useEffect } from 'react';

/** Sets the page title for tabs, bookmarks and screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tributary`;
  }, [title]);
}

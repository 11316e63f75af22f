import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 767px)');

const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
};

/** Whether the screen is too narrow for a table with many columns. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);

import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 767px)');

const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
};

/** Whether a table with many columns would not fit. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);

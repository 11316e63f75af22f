import { takeReserved } from './address.ts';
import { attempt } from './attempt.ts';

// On a server there is no history.
const { replaceState } = typeof history === 'undefined' ? ({} as History) : history;

/**
 * Removes our parameters from the address bar and returns them. Everything else stays unchanged, including the history state of
 * single-page apps.
 */
export function tidyAddressBar(): { link_token?: string; verification?: string } {
  const { origin, pathname, search, hash } = location;
  const address = origin + pathname + search + hash;
  const { url, t, v } = takeReserved(address);
  if (url !== address) attempt(() => replaceState.call(history, history.state, '', url));
  return { ...(t && { link_token: t }), ...(v && { verification: v }) };
}

/**
 * Calls `onChange` when the URL changes without loading a document, and `onReturn` when a document returns from the back/forward
 * cache.
 */
export function watchAddress(onChange: () => void, onReturn: () => void): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = (...change) => {
      original.apply(history, change);
      attempt(onChange);
    };
  }
  listen(window, 'popstate', onChange);
  listen(window, 'hashchange', onChange);
  listen(window, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) onReturn();
  });
}

export function listen(target: EventTarget, type: string, work: (event: Event) => void): void {
  target.addEventListener(type, (event) => attempt(() => work(event)));
}

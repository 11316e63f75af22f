import { takeReserved } from './address.ts';
import { attempt } from './attempt.ts';

// A server that reads the module has no history.
const { replaceState } = typeof history === 'undefined' ? ({} as History) : history;

/** Takes our parameters out of the address bar and gives them; all else stays as it is, the state of a single-page app too. */
export function tidyAddressBar(): { link_token?: string; verification?: string } {
  const { origin, pathname, search, hash } = location;
  const address = origin + pathname + search + hash;
  const { url, t, v } = takeReserved(address);
  if (url !== address) attempt(() => replaceState.call(history, history.state, '', url));
  return { ...(t && { link_token: t }), ...(v && { verification: v }) };
}

/** Tells of every change of the address that loads no new document, and of a document that comes back from the browser's cache. */
export function watchAddress(changed: () => void, cameBack: () => void): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = (...change) => {
      original.apply(history, change);
      attempt(changed);
    };
  }
  listen(window, 'popstate', changed);
  listen(window, 'hashchange', changed);
  listen(window, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) cameBack();
  });
}

export function listen(target: EventTarget, type: string, work: (event: Event) => void): void {
  target.addEventListener(type, (event) => attempt(() => work(event)));
}

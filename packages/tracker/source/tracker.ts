import { pageOf, takeReserved } from './address.ts';
import { giveConsent, hasRefused, isAllowed, refuseConsent } from './consent.ts';
import { tidyAddressBar } from './pages.ts';
import { createRecorder } from './recorder.ts';
import type { Sender } from './send.ts';
import type { Settings } from './settings.ts';
import { readTraits } from './traits.ts';
import { uuid } from './uuid.ts';
import type { Draft } from './visit.ts';

export interface Tracker {
  /** What a site can call. */
  readonly commands: Record<string, (...values: never[]) => void> & { page(): void };
  readonly addressChanged: () => void;
  readonly sender: Sender;
}

export function createTracker(settings: Settings): Tracker {
  const { consentRequired, auto } = settings;
  const { record, settle, forget, sender } = createRecorder(settings);
  /** How the person came here; it goes with the first visit only. */
  let arrival: Partial<Draft> = { ...referredBy(document.referrer), ...tidyAddressBar() };
  let lastToken = arrival.link_token;
  let page = '';
  // Who is to be asked first may still say yes, so visits wait; for everybody else no is no.
  let isRefused = hasRefused() || !(consentRequired || isAllowed(false));

  function visit(type: Draft['type'], details: Partial<Draft>): void {
    if (isRefused) return;
    const now = Date.now();
    // A copy, since the caller may go on changing what it passed. What cannot be copied could not be sent.
    const copied: Partial<Draft> = JSON.parse(JSON.stringify(details));
    record({ id: uuid(now), at: new Date(now).toISOString(), type, url: pageOf(location), ...copied, ...arrival });
    arrival = {};
  }

  function pageView(): void {
    const previous = page;
    page = pageOf(location);
    visit('page_view', referredBy(previous));
  }

  function addressChanged(): void {
    const { link_token, verification } = tidyAddressBar();
    // A router that remembers the first address may bring its token back.
    if (link_token && link_token !== lastToken) {
      arrival = { ...arrival, link_token };
      lastToken = link_token;
    }
    if (verification) arrival = { ...arrival, verification };
    if (auto && pageOf(location) !== page) pageView();
  }

  function answerConsent(isGiven: boolean): void {
    if (!isGiven) {
      isRefused = true;
      forget();
      refuseConsent(consentRequired);
      return;
    }
    giveConsent();
    if (isRefused) {
      isRefused = false;
      if (auto) pageView();
    }
    settle();
  }

  return {
    commands: {
      page: pageView,
      track: (name: string, properties?: object) => visit('track', { name, ...(properties && { properties }) }),
      identify: (traits: object, signature?: string) =>
        visit('identify', { traits: readTraits(traits), ...(signature && { signature }) }),
      consent: answerConsent,
    },
    addressChanged,
    sender,
  };
}

function referredBy(url: string): Partial<Draft> {
  return url ? { referrer: takeReserved(url).url } : {};
}

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
  /** The commands that a site can call. */
  readonly commands: Record<string, (...values: never[]) => void> & { page(): void };
  readonly addressChanged: () => void;
  readonly sender: Sender;
}

export function createTracker(settings: Settings): Tracker {
  const { consentRequired, auto } = settings;
  const { record, settle, forget, sender } = createRecorder(settings);
  /** How the visitor arrived; sent with the first visit only. */
  let arrival: Partial<Draft> = { ...toReferrer(document.referrer), ...tidyAddressBar() };
  let lastToken = arrival.link_token;
  let page = '';
  // If consent is required first, the visitor may still give it, so visits wait. Otherwise a refusal is final.
  let isRefused = hasRefused() || !(consentRequired || isAllowed(false));

  function visit(type: Draft['type'], details: Partial<Draft>): void {
    if (isRefused) return;
    const now = Date.now();
    // Copied, because the caller may later modify the object. Anything that cannot be copied could not be sent either.
    const copied: Partial<Draft> = JSON.parse(JSON.stringify(details));
    record({ id: uuid(now), at: new Date(now).toISOString(), type, url: pageOf(location), ...copied, ...arrival });
    arrival = {};
  }

  function pageView(): void {
    const previous = page;
    page = pageOf(location);
    visit('page_view', toReferrer(previous));
  }

  function addressChanged(): void {
    const { link_token, verification } = tidyAddressBar();
    // A router that restores the first URL may bring its token back.
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

function toReferrer(url: string): Partial<Draft> {
  return url ? { referrer: takeReserved(url).url } : {};
}

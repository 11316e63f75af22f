import { v7 as uuid } from 'uuid';
import type { Person } from './year-people.ts';

/** The simulator's own last-touch attribution, from the visits of each customer. */

export interface Touch {
  readonly at: number;
  /** Null: the visit came from no campaign. */
  readonly campaign: string | null;
}

const lookbackMs = 90 * 86_400_000;
const shop = 'https://shop.example';

export class VisitBook {
  readonly #touches = new Map<Person, Touch[]>();
  /** Pairs of customers that are merged. */
  readonly #merged = new Map<Person, Person>();
  readonly #browsers = new Map<Person, string>();

  touch(person: Person, touch: Touch): void {
    const touches = this.#touches.get(person) ?? [];
    touches.push(touch);
    this.#touches.set(person, touches);
  }

  merge(one: Person, other: Person): void {
    this.#merged.set(one, other);
    this.#merged.set(other, one);
  }

  separate(one: Person, other: Person): void {
    this.#merged.delete(one);
    this.#merged.delete(other);
  }

  /** The customer, and the one merged with them. */
  of(person: Person): readonly Person[] {
    const other = this.#merged.get(person);
    return other ? [person, other] : [person];
  }

  /** The campaign of the last visit before this moment. Undefined: the last visit came from no campaign, or there was none. */
  campaignOf(person: Person | null, at: Date): string | undefined {
    if (!person) return undefined;
    let last: Touch | undefined;
    for (const one of this.of(person))
      for (const touch of this.#touches.get(one) ?? [])
        if (touch.at <= at.getTime() && touch.at >= at.getTime() - lookbackMs && (!last || touch.at > last.at))
          last = touch;
    return last?.campaign ?? undefined;
  }

  /** A session as the tracker sends it. A browser identifies its user in the first session only. */
  request(key: string, person: Person, at: number, ad: { externalId: string; platform: string } | null): object {
    const existing = this.#browsers.get(person);
    const client_id = existing ?? uuid();
    this.#browsers.set(person, client_id);
    const isSocial = ad?.platform === 'social_ads';
    const tags = new URLSearchParams({
      ...(ad && { utm_source: isSocial ? 'facebook' : 'google', utm_medium: 'cpc', campaign_id: ad.externalId }),
    });
    const session_id = uuid();
    const common = { session_id, at: new Date(at).toISOString() };
    const landing = {
      ...common,
      id: uuid(),
      type: 'page_view',
      is_session_start: true,
      url: `${shop}/collections/all${ad ? `?${tags}` : ''}`,
      ...(ad && { referrer: isSocial ? 'https://l.facebook.com/' : 'https://www.google.com/' }),
    };
    const identify = {
      ...common,
      id: uuid(),
      at: new Date(at + 10_000).toISOString(),
      type: 'identify',
      is_session_start: false,
      url: `${shop}/account`,
      traits: { email: person.email },
    };
    return { key, client_id, visits: existing ? [landing] : [landing, identify] };
  }
}

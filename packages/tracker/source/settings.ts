/** What the site says on the script tag. */
export interface Settings {
  readonly key: string;
  /** Where visits go. */
  readonly endpoint: string;
  readonly consentRequired: boolean;
  /** Whether page views are recorded without being asked for. */
  readonly auto: boolean;
}

interface Tag {
  readonly src: string;
  getAttribute(name: string): string | null;
}

/**
 * The collector is where the script came from, path included: a site that passes `/t/` on to a collector loads `/t/t.js` and sends to
 * `/t/v1/visits`.
 */
export function readSettings(tag: Tag, page: string): Settings {
  const collector = tag.getAttribute('data-collector');
  return {
    key: tag.getAttribute('data-key') || '',
    endpoint: endpointOf(collector || new URL('.', tag.src || page).href, page),
    consentRequired: tag.getAttribute('data-consent') === 'required',
    auto: tag.getAttribute('data-auto') !== 'false',
  };
}

export const endpointOf = (collector: string, page: string): string =>
  new URL(`${collector.replace(/\/+$/, '')}/v1/visits`, page).href;

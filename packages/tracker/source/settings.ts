/** The settings of the script tag. */
export interface Settings {
  readonly key: string;
  /** The URL that visits are sent to. */
  readonly endpoint: string;
  readonly consentRequired: boolean;
  /** Whether page views are recorded automatically. */
  readonly auto: boolean;
}

interface Tag {
  readonly src: string;
  getAttribute(name: string): string | null;
}

/**
 * The collector is at the script's own origin and path: a site that proxies `/t/` to a collector loads `/t/t.js` and sends to
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

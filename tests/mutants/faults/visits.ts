import { type Fault, faultsIn } from '../fault.ts';

const channels = ['packages/rules/visits/channels.test.ts'];
const masks = ['packages/rules/visits/mask-url.test.ts', 'packages/rules/visits/mask-url.canaries.test.ts'];

/** Of a visit's way: the browser, the collector, the rules of where it came from. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/rules/visits/channels.ts', channels, {
    'tags-before-click': [
      '  if (clickId?.isAd && clickSite) {\n',
      '  if (clickId?.isAd && clickSite && !said) {\n',
      'a wrong tag on an ad hides that it was paid for',
    ],
    'year-is-an-ad': [
      'isFreeText ? /^\\d{8,20}$/.test(value)',
      'isFreeText ? /^\\d{4,20}$/.test(value)',
      'utm_content=2026 is taken for the number of an ad',
    ],
    'payment-page-is-a-source': [
      'site: isOwn || isRedirect ? undefined : siteOfHost(host)',
      'site: isOwn ? undefined : siteOfHost(host)',
      'a sale is credited to the page where it was paid',
    ],
    'own-site-is-referral': [
      'return isUnder(host, [pageHost]) || isUnder(host, ownHosts);',
      'return host === pageHost;',
      "a shop's own second host is a referral",
    ],
  }),
  ...faultsIn('packages/rules/visits/hosts.ts', channels, {
    'suffix-is-enough': ['host.endsWith(`.${domain}`)', 'host.endsWith(domain)', 'notgoogle.com passes for google.com'],
    'country-sites-unknown': [
      'byHost.get(domain) ?? countrySite(domain)',
      'byHost.get(domain)',
      'google.cl is a referral',
    ],
  }),
  ...faultsIn('packages/rules/visits/parameters.ts', channels, {
    'macros-are-names': [
      "return value === '' || isPlaceholder(value) ? undefined : value;",
      "return value === '' ? undefined : value;",
      '{{ad.id}} is an ad of its own in reports',
    ],
    'hash-not-read': ["if (hash.includes('=')) readInto(", 'if (false) readInto(', 'tags behind a # are lost'],
  }),
  ...faultsIn('packages/rules/visits/touch.ts', ['packages/rules/visits/touch.test.ts'], {
    'return-from-paying-is-touch': [
      'if (isRedirectReturn) return null;',
      '',
      'coming back from the payment page earns the sale',
    ],
    'own-page-is-touch': [
      'if (isFromOwnSite && !(visit.is_session_start && isNamed)) return null;',
      '',
      'a page opened from the own site is a touch',
    ],
    'event-is-arrival': [
      "!(isNamed && visit.type === 'page_view')",
      '!isNamed',
      'every event on a tagged page is a touch',
    ],
    'reload-is-new-touch': [
      'utm.campaign, utm.term, utm.content, utm.id]);',
      'utm.campaign, utm.term, utm.content, utm.id, Math.random()]);',
      'a page that is loaded again earns twice',
    ],
  }),
  ...faultsIn('packages/rules/visits/mask-url.ts', masks, {
    'tokens-stay-in-urls': [
      'if (reservedParameters.has(name)) return undefined;',
      '',
      'link tokens stand in stored addresses',
    ],
    'click-ids-in-clear': [
      'return `${rawName}=${maskWords.click}`;',
      'return part;',
      'click ids are stored in the clear',
    ],
    'names-by-path-only': [
      "(context === 'elsewhere' ? personalName(writtenName) : undefined) ?? ",
      '',
      'a parameter called email keeps what it says',
    ],
    'search-words-kept': [
      "const path = isSearch || isTooLong ? '/' :",
      "const path = isTooLong ? '/' :",
      'what somebody searched for stands in the referrer',
    ],
    'encoded-names-pass': [
      'const writtenName = decodeFully(rawName).trim();',
      'const writtenName = rawName.trim();',
      'an encoded parameter name hides an address',
    ],
    'hash-not-masked': [
      'maskHash(url.hash.slice(1), found, effort)',
      'url.hash.slice(1)',
      'what stands behind the # is stored as it is',
    ],
  }),
  ...faultsIn('packages/rules/visits/mask-name.ts', ['packages/rules/visits/mask-name.test.ts'], {
    'numbers-in-event-names': [
      ' || /\\d{9}/.test(name)) return word ?? name;',
      ') return word ?? name;',
      'an event named after a phone number is stored',
    ],
  }),
  ...faultsIn('packages/rules/visits/origin.ts', ['packages/rules/visits/origin.test.ts'], {
    'named-ad-unpaid': [
      "adId !== null || click?.isAd ? 'paid' : 'organic'",
      "click?.isAd ? 'paid' : 'organic'",
      'a chat that an ad opened is organic',
    ],
    'cookie-click-is-another': [
      "kind === 'fbc' ? id.split('.').slice(3).join('.') : ''",
      "''",
      'the same click by link and by cookie earns twice',
    ],
    'said-platform-ignored': [
      'statedPlatform ?? click?.site.platform',
      'click?.site.platform',
      'an ad is looked for on another platform than was said',
    ],
  }),
  ...faultsIn('packages/rules/visits/read-visit.ts', ['packages/rules/visits/read-visit.test.ts'], {
    'days-that-do-not-exist': [
      "return text.charCodeAt(8) < 50 || text.slice(8, 10) <= '28' || new Date(text).toISOString() === text;",
      'return true;',
      'the 31st of February is the 3rd of March',
    ],
    'any-uuid-will-do': ['[0-9a-f]{4}-7[0-9a-f]{3}', '[0-9a-f]{4}-[0-9a-f]{4}', 'ids of other versions are taken'],
    'clock-far-ahead': ["if (aheadMs > maxAheadMs) return 'clock_ahead';", '', 'a visit of next year is believed'],
    'proto-is-assigned': [
      'visit.properties = Object.fromEntries(entries) as Record<string, Scalar>;',
      '{ const made: Record<string, Scalar> = {}; for (const [n, v] of entries) made[n] = v as Scalar; visit.properties = made; }',
      'a property called __proto__ changes an object',
    ],
    'consent-by-any-word': [
      'consent: input.consent === true,',
      'consent: Boolean(input.consent),',
      'the text "false" counts as consent',
    ],
    'script-addresses-taken': [
      '!(/^https?:\\/\\//i.test(url) && URL.canParse(url))',
      '!URL.canParse(url)',
      'javascript: addresses are stored as pages',
    ],
  }),
  ...faultsIn(
    'packages/rules/visits/visitor-id.ts',
    ['packages/rules/visits/visitor-id.test.ts', 'domain/privacy/erasures/after-erasures.test.ts'],
    {
      'erased-browser-known-again': [
        '${clientId.toLowerCase()}:${generation}`',
        '${clientId.toLowerCase()}`',
        'after an erasure the same browser is the same visitor',
      ],
    },
  ),
  ...faultsIn('packages/tracker/source/consent.ts', ['packages/tracker/source/consent.test.ts'], {
    'objection-overrules-yes': [
      "return answer ? answer === 'yes' : !isRequired && !isOptedOut;",
      "return !isOptedOut && (answer ? answer === 'yes' : !isRequired);",
      "somebody's yes does not count where the browser objects for them",
    ],
    'tracks-before-consent': [
      '!isRequired && !isOptedOut',
      '!isOptedOut',
      'who is to be asked first is tracked before the answer',
    ],
    'objection-ignored': ['!isRequired && !isOptedOut', '!isRequired', 'a browser that objects is tracked'],
  }),
  ...faultsIn('packages/tracker/source/session.ts', ['packages/tracker/source/session.test.ts'], {
    'clock-set-back-ends-session': [
      'Math.abs(atMs - Number(lastMs)) < idleMs',
      'atMs - Number(lastMs) >= 0 && atMs - Number(lastMs) < idleMs',
      'a clock that was set back begins a session',
    ],
    'any-cookie-is-session': ['isUuid(id) && ', '', 'a cookie that somebody wrote spoils every request'],
  }),
  ...faultsIn('packages/tracker/source/retry.ts', ['packages/tracker/source/retry.test.ts'], {
    'limited-is-final': [' && status !== 429', '', 'visits are thrown away when the collector asks to wait'],
    'retry-after-ignored': [
      'return Math.max(retryAfterMs, Math.min(',
      'return Math.max(0, Math.min(',
      'the tracker knocks sooner than it was asked to',
    ],
    'retries-without-end': [
      'Math.min(longestMs, 1_000 * 2 ** failures)',
      '1_000 * 2 ** failures',
      'after some failures the tracker waits for weeks',
    ],
  }),
  ...faultsIn('packages/tracker/source/address.ts', ['packages/tracker/source/address.test.ts'], {
    'tokens-behind-hash-stay': ['(?:(&)|(?=#)|$)', '(?:(&)|$)', 'our parameter stays in the address bar before a #'],
    'any-hash-is-a-page': [
      "(/^#!?\\//.test(hash) ? hash : '')",
      'hash',
      'a token behind the # is sent as part of the page',
    ],
  }),
  ...faultsIn('packages/tracker/source/traits.ts', ['packages/tracker/source/traits.test.ts'], {
    'everything-leaves-the-browser': [
      'for (const name of supported) {',
      'for (const name of Object.keys(input)) {',
      'whatever a site says of a person leaves the browser',
    ],
  }),
  ...faultsIn('packages/tracker/source/uuid.ts', ['packages/tracker/source/uuid.test.ts'], {
    'ids-of-one-moment': [
      'Math.max(nowMs, lastMs + 1)',
      'Math.max(nowMs, lastMs)',
      'visits of one moment have no order',
    ],
  }),
  ...faultsIn('packages/pages/document.ts', ['apps/collector/tracker-script.test.ts'], {
    'packed-against-their-will': [
      'return named !== undefined && named.weight > 0;',
      'return named !== undefined;',
      'a browser that refuses Brotli gets it all the same',
    ],
  }),
  ...faultsIn('packages/tracker/source/settings.ts', ['packages/tracker/source/settings.test.ts'], {
    'consent-not-asked': [
      "tag.getAttribute('data-consent') === 'required'",
      "tag.getAttribute('data-consent') === 'true'",
      'a site that asks for consent tracks without it',
    ],
    'collector-path-lost': [
      "new URL('.', tag.src || page).href",
      "new URL('/', tag.src || page).href",
      'a site that passes a path on to the collector sends nowhere',
    ],
  }),
  ...faultsIn(
    'apps/collector/accept-visits.ts',
    ['apps/collector/collector.test.ts', 'apps/collector/hostile.test.ts', 'apps/collector/small.test.ts'],
    {
      'any-origin-sends': [
        'if (!isAllowedOrigin(headers.origin, key.allowedHosts))',
        'if (false)',
        'any site sends visits for a key that names its hosts',
      ],
      'visits-without-consent': [
        "if (key.isConsentRequired && !consent) refuse('consent', withoutConsent());",
        '',
        'visits are taken from whoever has not agreed',
      ],
      'city-always-kept': ["city: key.keepsCity ? city : '',", 'city,', 'a profile that keeps no cities has them'],
      'quota-not-held': [
        "assertWithinQuota(account.lacks('visits', 1) ?? account.lacks('bytes', body.length));",
        '',
        'a profile sends more than its plan has',
      ],
      'failed-publish-counts': [
        'account.add({ visits: -accepted.visits, broken: -accepted.broken, bytes: -accepted.bytes });',
        '',
        'visits that the log refused use up the quota',
      ],
      'confirmed-before-kept': [
        '    await publish(intake.log, message);',
        '    void publish(intake.log, message).catch(() => {});',
        'a visit is confirmed that the log does not have',
      ],
    },
  ),
  ...faultsIn('apps/collector/tracking-keys.ts', ['apps/collector/tracking-keys.test.ts'], {
    'revoked-key-lives-on': [
      'if (cached && age < staleMs) {',
      'if (cached) {',
      'a revoked tracking key sends for as long as it is used',
    ],
    'told-change-overtaken': [
      '#isCurrent({ found, sentAt }: CachedKey',
      '#isCurrent({ found, answeredAt: sentAt }: CachedKey',
      'an answer that was under way while a key was revoked stands for minutes',
    ],
    'keys-forgotten-in-an-outage': [
      'if (cached && age < outageMs) return cached.found;',
      '',
      'visits are refused as soon as PostgreSQL is away',
    ],
    'made-up-keys-push-out': [
      '(one ? this.#found : this.#missing).set(',
      'this.#found.set(',
      'made-up keys push real ones out of the memory',
    ],
  }),
  ...faultsIn('apps/collector/daily-use.ts', ['apps/collector/hostile.test.ts', 'apps/collector/collector.test.ts'], {
    'address-takes-all': [
      'const mostOfAddress = amountsOfAddress(most, this.#addressShare);',
      'const mostOfAddress = most;',
      "one address uses up a shop's whole day",
    ],
    'days-never-end': ['if (count?.day !== day) {', 'if (!count) {', 'a quota that was used up stays so the next day'],
  }),
];

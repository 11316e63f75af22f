import { type Fault, faultsIn } from '../fault.ts';

const channels = ['packages/rules/visits/channels.test.ts'];
const masks = ['packages/rules/visits/mask-url.test.ts', 'packages/rules/visits/mask-url.canaries.test.ts'];

/** Faults in recording visits: the tracker, the collector and the channel rules. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/rules/visits/channels.ts', channels, {
    'tags-before-click': [
      '  if (clickId?.isAd && clickSite) {\n',
      '  if (clickId?.isAd && clickSite && !said) {\n',
      'a wrong tag on an ad hides that the click was paid',
    ],
    'year-is-an-ad': [
      'isFreeText ? /^\\d{8,20}$/.test(value)',
      'isFreeText ? /^\\d{4,20}$/.test(value)',
      'utm_content=2026 is read as an ad id',
    ],
    'payment-page-is-a-source': [
      'site: isOwn || isRedirect ? undefined : siteOfHost(host)',
      'site: isOwn ? undefined : siteOfHost(host)',
      'a sale is credited to the payment page',
    ],
    'own-site-is-referral': [
      'return isUnder(host, [pageHost]) || isUnder(host, ownHosts);',
      'return host === pageHost;',
      "a shop's second host counts as a referral",
    ],
  }),
  ...faultsIn('packages/rules/visits/hosts.ts', channels, {
    'suffix-is-enough': ['host.endsWith(`.${domain}`)', 'host.endsWith(domain)', 'notgoogle.com counts as google.com'],
    'country-sites-unknown': [
      'byHost.get(domain) ?? countrySite(domain)',
      'byHost.get(domain)',
      'google.cl counts as a referral',
    ],
  }),
  ...faultsIn('packages/rules/visits/parameters.ts', channels, {
    'macros-are-names': [
      "return value === '' || isPlaceholder(value) ? undefined : value;",
      "return value === '' ? undefined : value;",
      'the unfilled macro {{ad.id}} appears as an ad in reports',
    ],
    'hash-not-read': ["if (hash.includes('=')) readInto(", 'if (false) readInto(', 'UTM tags after the # are lost'],
  }),
  ...faultsIn('packages/rules/visits/touch.ts', ['packages/rules/visits/touch.test.ts'], {
    'return-from-paying-is-touch': [
      'if (isRedirectReturn) return null;',
      '',
      'the return from the payment page earns the credit of the sale',
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
      'a reloaded page earns credit twice',
    ],
  }),
  ...faultsIn('packages/rules/visits/mask-url.ts', masks, {
    'tokens-stay-in-urls': [
      'if (reservedParameters.has(name)) return undefined;',
      '',
      'stored URLs contain link tokens',
    ],
    'click-ids-in-clear': [
      'return `${rawName}=${maskWords.click}`;',
      'return part;',
      'click ids are stored in clear text',
    ],
    'names-by-path-only': [
      "(context === 'elsewhere' ? personalName(writtenName) : undefined) ?? ",
      '',
      'the value of a parameter called email is not masked',
    ],
    'search-words-kept': [
      "const path = isSearch || isTooLong ? '/' :",
      "const path = isTooLong ? '/' :",
      "the stored referrer contains the visitor's search terms",
    ],
    'encoded-names-pass': [
      'const writtenName = decodeFully(rawName).trim();',
      'const writtenName = rawName.trim();',
      'an encoded parameter name keeps its address unmasked',
    ],
    'hash-not-masked': [
      'maskHash(url.hash.slice(1), found, effort)',
      'url.hash.slice(1)',
      'the text after the # is stored unmasked',
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
      'a chat opened from an ad counts as organic',
    ],
    'cookie-click-is-another': [
      "kind === 'fbc' ? id.split('.').slice(3).join('.') : ''",
      "''",
      'the same click from link and cookie earns credit twice',
    ],
    'said-platform-ignored': [
      'statedPlatform ?? click?.site.platform',
      'click?.site.platform',
      'an ad is looked up on another platform than the event names',
    ],
  }),
  ...faultsIn('packages/rules/visits/read-visit.ts', ['packages/rules/visits/read-visit.test.ts'], {
    'days-that-do-not-exist': [
      "return text.charCodeAt(8) < 50 || text.slice(8, 10) <= '28' || new Date(text).toISOString() === text;",
      'return true;',
      '31 February is read as 3 March',
    ],
    'any-uuid-will-do': [
      '[0-9a-f]{4}-7[0-9a-f]{3}',
      '[0-9a-f]{4}-[0-9a-f]{4}',
      'ids of other UUID versions are accepted',
    ],
    'clock-far-ahead': ["if (aheadMs > maxAheadMs) return 'clock_ahead';", '', 'a visit dated next year is accepted'],
    'proto-is-assigned': [
      'visit.properties = Object.fromEntries(entries) as Record<string, Scalar>;',
      '{ const made: Record<string, Scalar> = {}; for (const [n, v] of entries) made[n] = v as Scalar; visit.properties = made; }',
      'a property called __proto__ changes the prototype of an object',
    ],
    'consent-by-any-word': [
      'consent: input.consent === true,',
      'consent: Boolean(input.consent),',
      'the text "false" counts as consent',
    ],
    'script-addresses-taken': [
      '!(/^https?:\\/\\//i.test(url) && URL.canParse(url))',
      '!URL.canParse(url)',
      'javascript: URLs are stored as pages',
    ],
  }),
  ...faultsIn(
    'packages/rules/visits/visitor-id.ts',
    ['packages/rules/visits/visitor-id.test.ts', 'domain/privacy/erasures/after-erasures.test.ts'],
    {
      'erased-browser-known-again': [
        '${clientId.toLowerCase()}:${generation}`',
        '${clientId.toLowerCase()}`',
        'after an erasure the same browser gets the same visitor id',
      ],
    },
  ),
  ...faultsIn('packages/tracker/source/consent.ts', ['packages/tracker/source/consent.test.ts'], {
    'objection-overrules-yes': [
      "return answer ? answer === 'yes' : !isRequired && !isOptedOut;",
      "return !isOptedOut && (answer ? answer === 'yes' : !isRequired);",
      "a visitor's consent is ignored if the browser sends an opt-out signal",
    ],
    'tracks-before-consent': [
      '!isRequired && !isOptedOut',
      '!isOptedOut',
      'visitors are tracked before they answer the consent question',
    ],
    'objection-ignored': ['!isRequired && !isOptedOut', '!isRequired', "a browser's opt-out signal is ignored"],
  }),
  ...faultsIn('packages/tracker/source/session.ts', ['packages/tracker/source/session.test.ts'], {
    'clock-set-back-ends-session': [
      'Math.abs(atMs - Number(lastMs)) < idleMs',
      'atMs - Number(lastMs) >= 0 && atMs - Number(lastMs) < idleMs',
      'setting the clock back starts a new session',
    ],
    'any-cookie-is-session': ['isUuid(id) && ', '', 'a malformed session cookie breaks every request'],
  }),
  ...faultsIn('packages/tracker/source/retry.ts', ['packages/tracker/source/retry.test.ts'], {
    'limited-is-final': [' && status !== 429', '', 'the tracker drops visits when the collector responds with 429'],
    'retry-after-ignored': [
      'return Math.max(retryAfterMs, Math.min(',
      'return Math.max(0, Math.min(',
      'the tracker retries sooner than Retry-After allows',
    ],
    'retries-without-end': [
      'Math.min(longestMs, 1_000 * 2 ** failures)',
      '1_000 * 2 ** failures',
      'after several failures the tracker waits for weeks',
    ],
  }),
  ...faultsIn('packages/tracker/source/address.ts', ['packages/tracker/source/address.test.ts'], {
    'tokens-behind-hash-stay': ['(?:(&)|(?=#)|$)', '(?:(&)|$)', 'the link token before a # stays in the address bar'],
    'any-hash-is-a-page': [
      "(/^#!?\\//.test(hash) ? hash : '')",
      'hash',
      'a token after the # is sent as part of the page URL',
    ],
  }),
  ...faultsIn('packages/tracker/source/traits.ts', ['packages/tracker/source/traits.test.ts'], {
    'everything-leaves-the-browser': [
      'for (const name of supported) {',
      'for (const name of Object.keys(input)) {',
      'the tracker sends every trait that a site sets',
    ],
  }),
  ...faultsIn('packages/tracker/source/uuid.ts', ['packages/tracker/source/uuid.test.ts'], {
    'ids-of-one-moment': [
      'Math.max(nowMs, lastMs + 1)',
      'Math.max(nowMs, lastMs)',
      'visits of the same millisecond have no order',
    ],
  }),
  ...faultsIn('packages/pages/document.ts', ['apps/collector/tracker-script.test.ts'], {
    'packed-against-their-will': [
      'return named !== undefined && named.weight > 0;',
      'return named !== undefined;',
      'a browser that rejects Brotli still receives it',
    ],
  }),
  ...faultsIn('packages/tracker/source/settings.ts', ['packages/tracker/source/settings.test.ts'], {
    'consent-not-asked': [
      "tag.getAttribute('data-consent') === 'required'",
      "tag.getAttribute('data-consent') === 'true'",
      'a site that requires consent tracks without it',
    ],
    'collector-path-lost': [
      "new URL('.', tag.src || page).href",
      "new URL('/', tag.src || page).href",
      'visits fail if the collector is behind a path',
    ],
  }),
  ...faultsIn(
    'apps/collector/accept-visits.ts',
    ['apps/collector/collector.test.ts', 'apps/collector/hostile.test.ts', 'apps/collector/small.test.ts'],
    {
      'any-origin-sends': [
        'if (!isAllowedOrigin(headers.origin, key.allowedHosts))',
        'if (false)',
        'any site can send visits with a key restricted to other hosts',
      ],
      'visits-without-consent': [
        "if (key.isConsentRequired && !consent) refuse('consent', withoutConsent());",
        '',
        'visits are accepted without the required consent',
      ],
      'city-always-kept': [
        "city: key.keepsCity ? city : '',",
        'city,',
        'cities are stored for a profile that does not store them',
      ],
      'quota-not-held': [
        "assertWithinQuota(account.lacks('visits', 1) ?? account.lacks('bytes', body.length));",
        '',
        'a profile can send more visits than its plan allows',
      ],
      'failed-publish-counts': [
        'account.add({ visits: -accepted.visits, broken: -accepted.broken, bytes: -accepted.bytes });',
        '',
        'visits that the stream rejected use up the quota',
      ],
      'confirmed-before-kept': [
        '    await publish(intake.log, message);',
        '    void publish(intake.log, message).catch(() => {});',
        'a visit is confirmed before the stream has stored it',
      ],
    },
  ),
  ...faultsIn('apps/collector/tracking-keys.ts', ['apps/collector/tracking-keys.test.ts'], {
    'revoked-key-lives-on': [
      'if (cached && age < staleMs) {',
      'if (cached) {',
      'a revoked tracking key works as long as it is used',
    ],
    'told-change-overtaken': [
      '#isCurrent({ found, sentAt }: CachedKey',
      '#isCurrent({ found, answeredAt: sentAt }: CachedKey',
      'a lookup that was in progress during a revocation stays cached for minutes',
    ],
    'keys-forgotten-in-an-outage': [
      'if (cached && age < outageMs) return cached.found;',
      '',
      'visits are rejected as soon as PostgreSQL is unavailable',
    ],
    'made-up-keys-push-out': [
      '(one ? this.#found : this.#missing).set(',
      'this.#found.set(',
      'invalid keys evict valid ones from the cache',
    ],
  }),
  ...faultsIn('apps/collector/daily-use.ts', ['apps/collector/hostile.test.ts', 'apps/collector/collector.test.ts'], {
    'address-takes-all': [
      'const mostOfAddress = amountsOfAddress(most, this.#addressShare);',
      'const mostOfAddress = most;',
      "one address can use up a shop's daily quota",
    ],
    'days-never-end': ['if (count?.day !== day) {', 'if (!count) {', 'an exhausted quota is not reset the next day'],
  }),
];

import { limits } from '@tributary/vocabulary';

/** Introductory chapters that apply to all operations. */
export const introduction = `
Every number that Tributary answers can be taken apart into the payments and visits it was made of. This page is made from the declarations that
the server checks requests against; \`/api/v1/openapi.json\` is the same for programs, and \`@tributary/sdk\` is a typed client of it.

[The console](/) · [What each error means](/docs/errors) · [What changed](/api/v1/changelog)

## Authentication

Send a key of the profile as \`Authorization: Bearer trib_live_…\`. A key is made in the console or with \`POST /api/v1/keys\`, and holds scopes; an operation
names those it needs. Apps exchange their client id and secret for a token at \`POST /oauth/token\`. In the console's own pages the session cookie says who asks, and
\`X-Profile-Id\` for which profile. An id of another profile answers exactly like one that never existed.

Each operation says who may call it: \`x-credentials\` lists the kinds of credential, \`x-required-scopes\` the scopes (any one of the lists is enough, of a list
all are needed, and an empty list asks for none), and \`x-scope-grain\` how much of the world an answer shows.

## Envelopes

Every answer is \`{data, meta}\`, with \`pagination\` where there are pages; every error is \`{error}\`. Times are UTC with milliseconds, dates are days in the profile's
time zone. Money is a number with at most the digits of its currency where it is a figure of a report or a row to look at, and a decimal in a string where somebody will
calculate with it: each field says which.

## Paging

Lists take \`limit\` and \`cursor\`. While \`pagination.has_next\` is true, send \`pagination.cursor\` as \`cursor\` for the next page; where a list takes
\`cursor_time\` and \`cursor_id\`, the cursor holds both, parted by a bar. Pages neither skip nor repeat what was there when you began.

## Idempotency

\`x-idempotency\` says what makes a repeated request one request. \`accepted\`: send an \`Idempotency-Key\` of your own, and the same key gets the first answer again
for ${limits.idempotency.replayHours} hours, whatever became of the connection. \`required\`: not without one. \`natural\`: what the request says is enough. Outcomes also carry an
\`idempotency_key\` in their body, which never ends: with it the same payment counts once for ever.

## Limits

Answers say \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Beyond the limit the answer is 429 with \`Retry-After\` in seconds. A body
is limited to the size that its operation documents, or to ${limits.bodyBytes / 1_024} KiB; larger bodies return 413. Each object in it is limited to ${limits.item.fields} fields. In addition to the request limit, each
credential can send ${limits.costPerMinute.credential.mebibytes} MiB of bodies and use ${limits.costPerMinute.credential.processorMs / 1_000} seconds of processor time a minute. Above that, the \`reason\` of the 429 is \`bytes\` or \`processor_time\`.

## Errors

Branch on \`code\`, which is never renamed; show \`message\` to people; quote \`request_id\` when you ask for help; \`docs_url\` leads to the page of the code. When
several things are wrong with a request, \`faults\` tells all of them. An unknown query parameter is refused: a typing error must not answer with other numbers.

## Versions

This is version 1, and its addresses begin with \`/api/v1\`. Within it fields, operations and words of lists may be added, and nothing is renamed or removed without
notice: what will go says so with the headers \`Deprecation\`, \`Sunset\` and \`Link\`, and \`GET /api/v1/changelog\` tells what changed.

## Receiving webhooks

A subscription names an address and the events it wants. Deliveries are signed as Standard Webhooks says; \`verifyWebhook\` of the SDK checks and reads one in one call. Answer 2xx
soon, and drop what has an \`id\` that you know: a delivery may come again, and not in order.
`.trim();

/** The description of each chapter of operations. */
export const chapters: Readonly<Record<string, string>> = {
  Service: 'What the server says of itself: this description, and what changed.',
  'Workspaces and profiles':
    'A workspace holds profiles; a profile is one business with its own people, money, time zone and currency, and a wall around them.',
  Credentials: 'Keys of a profile, and tokens of apps.',
  Customers: 'The people a business knows: bring them in, list them, find them, and forget them with a receipt.',
  Identity: 'Why several customers are one person, and the way back.',
  Journeys: 'What somebody did before they bought, and what each touch earned.',
  Outcomes:
    'What happened that counts: leads, orders, payments and refunds that a server knows of, and the definitions that say what they mean.',
  Payments: 'Payments one by one: who paid, what went back, and what was done by hand.',
  Sales: 'Payments that several sources report: which records are the same sale, and which source counts.',
  'Conversion exports': 'Tells ad platforms of conversions, within what the profile’s privacy mode allows.',
  'Partner signals':
    'What partners know of how a customer came: a declared source, or an ad that began a conversation.',
  Campaigns: `Reports: what ads cost and what they earned, under each attribution model, by level and day. \`explain\` takes any figure apart.`,
  Reconciliation: 'Holds what was recorded against what reports count, day by day.',
  Experiments:
    'Tests by regions: what ads really caused, with power worked out before and nothing shown before the end.',
  'Fitted models': 'Attribution models that learn from the profile’s own data.',
  'Ad operations': 'Changes at ad platforms: tried first, then done, then undone.',
  Assistants: 'Assistants that somebody allowed to ask through MCP at `/mcp`.',
  Accounts: 'People of the team: signing in, second steps, passkeys, sessions.',
  Members: 'Who belongs to a workspace, and invitations.',
  Tracking: 'The tracker: keys, snippets, domains, settings, and how good its data is.',
  Alerts: 'What is wrong with a profile’s data at this moment: a tracker that fell silent, figures that are late.',
  Connections: 'Ad accounts, CRMs, payment providers and stores: connecting, choosing, reading, disconnecting.',
  Webhooks: 'Subscriptions and deliveries, and the events themselves.',
  Collector: `What browsers send, on an address of its own.`,
};

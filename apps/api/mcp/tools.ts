import { argumentsOf, assistantRoutes, type JsonSchema, partsOf, type Route, routes } from '@tributary/contract';
import type { RawInput } from '@tributary/operations';

/** An operation as an assistant sees it. */
export interface Tool {
  readonly name: string;
  readonly route: Route;
  /** It may change something outside, so it is offered only where changes are allowed, and tries first unless stated otherwise. */
  readonly isChange: boolean;
}

/** What an assistant has no use for, or should not have, though its token would do. What reads and is not named here is a tool. */
const notTools: Readonly<Record<string, string>> = {
  readCustomerExport: 'All that is known of a person in one file: for the person, not for a conversation.',
  readPiiAccessLog: 'Who looked at people is looked at by people.',
  readErasure: 'A receipt is kept by whoever asked for the erasure.',
  listTrackingEvents: 'Raw visits, for whoever installs the tracker.',
  listRecordedOutcomes: 'A feed for programs that missed webhooks.',
  listWebhookSubscriptions: 'Set up by whoever runs the receiver.',
  listWebhookDeliveries: 'Set up by whoever runs the receiver.',
  listTrackingKeys: 'Installing the tracker is done on the site.',
  readTrackingSnippet: 'Installing the tracker is done on the site.',
  readGtmInstaller: 'Installing the tracker is done on the site.',
  readShopifyPixelInstaller: 'Installing the tracker is done on the site.',
  readStorePixelInstaller: 'Installing the tracker is done on the site.',
  readTrackingOrigin: 'Installing the tracker is done on the site.',
  listTrackingDomains: 'Installing the tracker is done on the site.',
  readHandoff: 'Connecting a provider needs a browser.',
  listPendingAccounts: 'Connecting a provider needs a browser.',
  listManualStores: 'Connecting a provider needs a browser.',
  readChatbotConnection: 'Connecting a provider needs a browser.',
  listTrackedPages: 'Connecting a provider needs a browser.',
  readOutcomesPrefill: 'Suggestions for a form of the console.',
};

/** Changes are tools where they can be tried first: those at ad platforms. */
const isAdChange = ({ method, chapter, body }: Route): boolean =>
  method !== 'GET' && chapter === 'Ad operations' && body !== undefined;

/** A route without `reveals` is not a tool. */
const isTool = (route: Route): boolean =>
  !(route.id in notTools) &&
  route.reveals !== undefined &&
  (isAdChange(route) || (route.method === 'GET' && isForAssistants(route)));

const isForAssistants = ({ access }: Route): boolean =>
  access.credentials.includes('mcp') && (access.grain === 'profile' || access.grain === 'person');

export const tools: readonly Tool[] = [
  ...Object.values(routes as Record<string, Route>),
  ...Object.values(assistantRoutes),
]
  .filter(isTool)
  .map((route) => ({ name: nameOf(route), route, isChange: route.method !== 'GET' }));

export const toolByName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]));

/** `listCampaigns` is `list_campaigns`. */
function nameOf({ id }: Route): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** How the protocol describes it. */
export function describeTool({ name, route, isChange }: Tool) {
  const { summary, description, reveals } = route;
  const notes = [
    description,
    reveals?.people === 'named' && 'It shows people: each answer is written into the log of access to personal data.',
    isChange &&
      'Nothing is changed unless dry_run is false. Show the dry run to the person and ask before you change anything.',
  ];
  return {
    name,
    title: summary,
    description: [`${summary}.`, ...notes].filter(Boolean).join(' '),
    inputSchema: { ...schemaOf(route, isChange), type: 'object' as const },
    annotations: {
      title: summary,
      readOnlyHint: !isChange,
      destructiveHint: isChange,
      idempotentHint: true,
      openWorldHint: isChange,
    },
  };
}

function schemaOf(route: Route, isChange: boolean): JsonSchema {
  const schema = argumentsOf(route);
  if (!isChange) return schema;
  const { dry_run: dryRun, ...properties } = schema.properties ?? {};
  return {
    ...schema,
    properties: {
      ...properties,
      dry_run: { ...(dryRun as object), default: true },
      idempotency_key: {
        type: 'string',
        description: 'Needed unless it is a dry run: new for each change, the same when the same change is sent again.',
      },
    },
  };
}

/** What a tool was called with, in the places where a request over HTTP would have it. A name that there is not is refused as a query parameter. */
export function requestOf({ route, isChange }: Tool, given: Readonly<Record<string, unknown>>) {
  const parts = partsOf(route);
  const { idempotency_key: key, ...named } = isChange ? { dry_run: true, ...given } : given;
  const inPath: Record<string, string> = {};
  const inQuery: Record<string, string> = {};
  const inBody: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined || value === null) continue;
    if (name in parts.params) inPath[name] = textOf(value);
    else if (name in parts.body) inBody[name] = value;
    else inQuery[name] = textOf(value);
  }
  const search = new URLSearchParams(inQuery).toString();
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath[name] ?? ''));
  const input: RawInput = {
    params: inPath,
    query: inQuery,
    body: route.body && Buffer.from(JSON.stringify(inBody)),
    contentType: 'application/json',
    target: search ? `${path}?${search}` : path,
  };
  return { input, idempotencyKey: typeof key === 'string' ? key : undefined, isDryRun: inBody.dry_run === true };
}

/** In a query everything is text, and a list has commas between. */
const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(textOf).join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

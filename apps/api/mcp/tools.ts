import { argumentsOf, assistantRoutes, type JsonSchema, partsOf, type Route, routes } from '@tributary/contract';
import type { RawInput } from '@tributary/operations';

/** An operation as offered to assistants. */
export interface Tool {
  readonly name: string;
  readonly route: Route;
  /**
   * Whether it may change something at an ad platform. Such tools are offered only where changes are allowed, and default to a
   * dry run.
   */
  readonly isChange: boolean;
}

/** GET operations that are not tools although a token could call them, each with the reason. All others are tools. */
const notTools: Readonly<Record<string, string>> = {
  readCustomerExport: 'A full export of personal data is for the customer, not for a conversation.',
  readPiiAccessLog: 'The data access log is reviewed by people.',
  readErasure: 'The receipt belongs to the requester of the erasure.',
  listTrackingEvents: 'Raw visits, used when installing the tracker.',
  listRecordedOutcomes: 'A feed for programs that missed webhooks.',
  listWebhookSubscriptions: 'Set up by the operator of the receiver.',
  listWebhookDeliveries: 'Set up by the operator of the receiver.',
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

/** The only changes offered as tools are those with a dry run: the ones at ad platforms. */
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
  .map((route) => ({ name: getToolName(route), route, isChange: route.method !== 'GET' }));

export const toolByName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]));

/** Converts `listCampaigns` to `list_campaigns`. */
function getToolName({ id }: Route): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The tool description of the protocol. */
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
    inputSchema: { ...getInputSchema(route, isChange), type: 'object' as const },
    annotations: {
      title: summary,
      readOnlyHint: !isChange,
      destructiveHint: isChange,
      idempotentHint: true,
      openWorldHint: isChange,
    },
  };
}

function getInputSchema(route: Route, isChange: boolean): JsonSchema {
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

/**
 * Maps the arguments of a tool to path, query and body as in an HTTP request. Unknown names become query parameters, which are
 * then rejected.
 */
export function requestOf({ route, isChange }: Tool, args: Readonly<Record<string, unknown>>) {
  const parts = partsOf(route);
  const { idempotency_key: key, ...named } = isChange ? { dry_run: true, ...args } : args;
  const inPath: Record<string, string> = {};
  const inQuery: Record<string, string> = {};
  const inBody: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined || value === null) continue;
    if (name in parts.params) inPath[name] = toText(value);
    else if (name in parts.body) inBody[name] = value;
    else inQuery[name] = toText(value);
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

/** Query values are text; lists are comma-separated. */
const toText = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(toText).join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

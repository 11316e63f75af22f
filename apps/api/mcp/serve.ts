import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { mcpEndpoint as door, links } from '@tributary/contract';
import { type Binding, untilSent } from '@tributary/http';
import {
  type AnyHandler,
  admitCall,
  awayAsRefusal,
  type Call,
  identify,
  isAdmitted,
  type Prepared,
  Refusal,
  refuse,
  renderError,
  runOperation,
} from '@tributary/operations';
import { maxJsonDepth, outlineJson } from '@tributary/rules/json-outline.ts';
import { limits } from '@tributary/vocabulary';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerMessage } from './protocol.ts';
import { requestOf, type Tool, toolByName, tools } from './tools.ts';

export interface McpOptions<Services> {
  readonly binding: Binding<Services>;
  /** Handlers by route id. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Origins of foreign pages that may call the API. */
  readonly corsOrigins: readonly string[];
  readonly onFailure: (error: unknown) => void;
}

/**
 * The MCP server: Streamable HTTP without sessions. Each message is a request, and each tool an operation of the contract. Tools
 * run through the same pipeline as HTTP calls: access checks, limits, personal-data gate, logs and errors are the same.
 */
export function serveMcp<Services>({ binding, handlers, corsOrigins, onFailure }: McpOptions<Services>): void {
  const { fastify, baseUrl } = binding;
  const origins = [new URL(baseUrl).origin, ...corsOrigins];

  fastify.route({
    method: 'POST',
    url: door.path,
    bodyLimit: messageBytes,
    onRequest: async (request, reply) => {
      const { state, headers, ip } = request;
      state.route = door;
      if (headers.origin && !origins.includes(headers.origin)) {
        refuse('forbidden', 'A page of another origin may not speak for an assistant.', {
          fields: { reason: 'origin' },
        });
      }
      const now = binding.now();
      const presented = {
        authorization: headers.authorization,
        cookie: undefined,
        profileId: undefined,
        workspaceId: undefined,
      };
      state.caller = await identify(binding, door, presented, ip, now).catch((error) => challenge(error, baseUrl));
      state.admitted = await admitCall(door, getCall(request, reply, now), binding);
    },
    handler: async (request, reply) => {
      const { admitted, caller } = request.state;
      if (!admitted || !caller) throw new Error('/mcp was reached without admission.');
      const { call } = admitted;
      const message = readMessage(request.body as Buffer | undefined);
      const mayChange = (request.query as { changes?: string }).changes === 'allowed';
      const offered = tools.filter(({ route, isChange }) => (mayChange || !isChange) && isAdmitted(route, caller));
      const response = await answerMessage(asWebRequest(request, baseUrl), message, {
        tools: offered,
        now: call.now,
        call: (name, args) => answerToolCall(findTool(name, mayChange), args, { request, reply, call }),
      });
      reply.code(response.status);
      for (const [name, value] of response.headers) reply.header(name, value);
      return reply.send(Buffer.from(await response.arrayBuffer()));
    },
  });
  // There is no stream to listen to and no session to end.
  fastify.route({
    method: ['GET', 'DELETE'],
    url: door.path,
    handler: async (_request, reply) =>
      reply
        .code(405)
        .header('allow', 'POST')
        .send({ jsonrpc: '2.0', error: { code: -32_000, message: 'Send messages with POST.' }, id: null }),
  });

  /** One POST counts as one API request, and was counted at admission. */
  const bindingWithoutCount: Binding<Services> = { ...binding, limiter: withoutCount(binding) };

  async function answerToolCall(
    tool: Tool | Refusal,
    args: Readonly<Record<string, unknown>>,
    at: ToolRequest,
  ): Promise<CallToolResult> {
    const { state } = at.request;
    try {
      if (tool instanceof Refusal) throw tool;
      state.route = tool.route;
      return toToolResult(await runTool(tool, args, at));
    } catch (error) {
      const refusal = awayAsRefusal(error);
      if (!(refusal instanceof Refusal)) onFailure(refusal);
      const { code, body } = renderError(refusal, state.requestId, baseUrl);
      state.errorCode = code;
      return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
    }
  }

  async function runTool(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    { reply, call }: ToolRequest,
  ): Promise<Prepared> {
    const { route } = tool;
    const { input, idempotencyKey, isDryRun } = requestOf(tool, args);
    // A dry run stores nothing, so any idempotency key will do.
    const key = idempotencyKey ?? (isDryRun ? randomUUID() : undefined);
    const { setHeaders: _tell, ...rest } = call;
    const admitted = await admitCall(route, { ...rest, signal: call.signal, idempotencyKey: key }, bindingWithoutCount);
    const { promise, resolve, reject } = Promise.withResolvers<Prepared>();
    const handler = handlers[route.id];
    if (!handler) throw new Error(`${route.id} has no handler.`);
    runOperation(route, handler, admitted, input, bindingWithoutCount, (prepared, cut) => {
      const sent = cut && untilSent(reply.raw, cut);
      resolve(prepared);
      return sent;
    }).catch((error) => {
      reject(error);
      // Errors after the response was sent concern the gate; nothing awaits the promise any more.
      if (reply.sent) onFailure(error);
    });
    return promise;
  }
}

interface ToolRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly call: Call;
}

function findTool(name: string, mayChange: boolean): Tool | Refusal {
  const tool = toolByName.get(name);
  if (!tool) return new Refusal('not_found', 'There is no such tool. Ask for the list of tools.');
  if (tool.isChange && !mayChange) {
    return new Refusal('forbidden', 'Assistants read only, unless they are connected with /mcp?changes=allowed.', {
      fields: { reason: 'read_only' },
    });
  }
  return tool;
}

/** Does not count the request again, but still counts the storage of large idempotent responses. */
const withoutCount = ({ limiter }: Pick<Binding<unknown>, 'limiter'>): Binding<unknown>['limiter'] => ({
  take: async (bucket, limit, terms) =>
    bucket.startsWith('kept:')
      ? limiter.take(bucket, limit, terms)
      : { allowed: true, limit, remaining: limit, resetAtSeconds: 0, retryAfterSeconds: 0 },
});

/** Adds the URL of the OAuth metadata, from which an assistant learns how to get a token. */
function challenge(error: unknown, baseUrl: string): never {
  if (!(error instanceof Refusal) || error.code !== 'unauthorized') throw error;
  const metadata = links.assistantsMetadata(baseUrl);
  throw new Refusal('unauthorized', error.message, {
    headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
  });
}

function getCall(request: FastifyRequest, reply: FastifyReply, now: Date): Call {
  const { state, ip } = request;
  return {
    caller: state.caller,
    address: ip,
    requestId: state.requestId,
    now,
    get signal() {
      return state.signal;
    },
    setHeaders: (responseHeaders) => void reply.headers(responseHeaders),
  };
}

const messageBytes = 64 * 1_024;
const messageBounds = { fields: limits.item.fields, depth: maxJsonDepth, bytes: messageBytes };

function readMessage(body: Buffer | undefined): unknown {
  const bytes = body ?? Buffer.alloc(0);
  // The library recurses into tool arguments, so deep nesting would overflow the call stack.
  if (outlineJson(bytes, messageBounds).excess)
    refuse(
      'invalid_request',
      `A message must not be nested more than ${maxJsonDepth} levels deep, nor contain an object with more than ${messageBounds.fields} fields.`,
    );
  const message = parse(bytes.toString('utf8'));
  // The protocol dropped batches, and a request holds only one slot of the personal-data gate.
  if (Array.isArray(message)) refuse('invalid_request', 'Send one message at a time.');
  return message;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('invalid_request', 'The body is not valid JSON.');
  }
}

function asWebRequest({ headers, url }: FastifyRequest, baseUrl: string): Request {
  const forwardedNames = ['accept', 'content-type', 'mcp-protocol-version'] as const;
  const forwarded = forwardedNames.flatMap((name) =>
    headers[name] ? [[name, String(headers[name])] as [string, string]] : [],
  );
  return new Request(new URL(url, baseUrl), { method: 'POST', headers: forwarded });
}

function toToolResult({ bytes }: Prepared): CallToolResult {
  const parsed: unknown = JSON.parse(bytes);
  return { content: [{ type: 'text', text: bytes }], structuredContent: parsed as Record<string, unknown> };
}

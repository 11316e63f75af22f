import { errorEntry, type Route } from '@tributary/contract';
import { admit, admitAnsweredDays, admitDays, deprecationHeaders, readmit } from './admission.ts';
import { rateHeaders, takeAllowance } from './allowance.ts';
import { readBody } from './body-thread.ts';
import type { AnyHandler, Call, OperationDeps, Prepared, RawInput, SendAnswer } from './call.ts';
import { Meter, payerOf } from './costs.ts';
import { type DisclosedKeys, mayStillDiscloseKeys } from './customer-key.ts';
import type { Caller } from './handler.ts';
import { bodyTextOf, judgeBody, parseParams, parseQuery } from './parse.ts';
import { type Disclosure, discloseInSlot, inSlot, recordAccess } from './personal-data-gate.ts';
import { Refusal, refuse } from './refusal.ts';
import { Work } from './work.ts';

/** A call that passed admission; only `admitCall` creates one. */
export interface Admitted {
  readonly call: Call;
  readonly [admission]: true;
}

declare const admission: unique symbol;

/** Checks permissions and rate limits, using only data that is available before the body is read. */
export async function admitCall(route: Route, call: Call, desk: OperationDeps<unknown>): Promise<Admitted> {
  const { caller, now } = call;
  // Not within the optional call, which would skip the limit for a transport without headers.
  const allowance = await takeAllowance(desk.limiter, route, caller, call.address);
  call.setHeaders?.(rateHeaders(allowance));
  desk.costs?.admit(payerOf(caller, call.address));
  if (route.deprecation) call.setHeaders?.(deprecationHeaders(route, now, desk.baseUrl));
  await auditing(desk, route, call, async () => {
    call.precheck?.();
    if (caller) await admitOrRecord(desk, route, caller, call);
  });
  return { call } as Admitted;
}

/**
 * Runs a declared operation and sends its response. Everything that the declaration promises is enforced here, in this order.
 * Responses with personal data pass the personal-data gate.
 */
export async function runOperation<Services>(
  route: Route,
  handler: AnyHandler,
  { call }: Admitted,
  sent: RawInput,
  desk: OperationDeps<Services>,
  send: SendAnswer,
): Promise<void> {
  const { caller } = call;
  const meter = new Meter();
  const payer = payerOf(caller, call.address);
  desk.costs?.takeBytes(payer, sent.body?.length ?? 0);
  try {
    await auditing(desk, route, call, async () => {
      const input = await parse(route, sent, desk, meter);
      if (caller) admitDays(route, caller, input.query);
      const work = () => new Work(route, input, call, sent, desk, meter);
      const prepare = () => answerTo(route, handler, input, call, desk, work());
      if (!caller) return send((await prepare()).prepared);
      if (route.access.grain !== 'person') return sendKeys(desk, await prepare(), { route, caller, call, send });

      const leaving = disclosureTo(route, caller, call);
      // A read runs once its response can be sent. A change runs at once, so that the client's slow reads do not delay it.
      const made = route.method === 'GET' ? undefined : await prepare();
      await inSlot(desk.gate, leaving, async () => {
        const { prepared, people, disclosedKeys } = made ?? (await prepare());
        await discloseInSlot(desk.gate, { ...disclosureTo(route, caller, call, disclosedKeys), people }, (cut) =>
          send(prepared, cut),
        );
      });
    });
  } finally {
    desk.costs?.spend(payer, meter.ms);
  }
}

/** A response that is not about customers passes the gate only if it discloses customer keys. It is small, so it needs no slot. */
async function sendKeys(
  { gate }: OperationDeps<unknown>,
  { prepared, disclosedKeys }: Answered,
  { route, caller, call, send }: { route: Route; caller: Caller; call: Call; send: SendAnswer },
): Promise<void> {
  if (!disclosedKeys) return send(prepared);
  const leaving = { ...disclosureTo(route, caller, call, disclosedKeys), people: disclosedKeys.people.size };
  await discloseInSlot(gate, leaving, (cut) => send(prepared, cut));
}

interface Answered {
  readonly prepared: Prepared;
  /** The number of customers that it identifies. */
  readonly people: number;
  readonly disclosedKeys: DisclosedKeys | undefined;
}

async function answerTo<Services>(
  route: Route,
  handler: AnyHandler,
  input: Awaited<ReturnType<typeof parse>>,
  call: Call,
  desk: OperationDeps<Services>,
  work: Work<Services>,
): Promise<Answered> {
  const { caller } = call;
  const run = () =>
    work.run(async (context) => {
      try {
        const answer = await work.meter.measure(() => handler(input as never, context as never));
        admitAnsweredDays(route, caller, answer.body);
        return answer;
      } catch (error) {
        // A selector may require more than the route itself does.
        if (caller && isForbidden(error)) await recordRefusedRead(desk, route, caller, call);
        throw error;
      }
    });
  const { status, bytes } = await withSlot(route, call, desk, run);
  const { contentType = 'application/json; charset=utf-8', binary } = route.answers[status] ?? {};
  return {
    prepared: {
      status,
      bytes,
      ...(binary && { isBase64: binary }),
      headers: { 'content-type': contentType, ...work.headers },
    },
    people: work.disclosedKeys ? work.people.union(work.disclosedKeys.people).size : work.people.size,
    disclosedKeys: work.disclosedKeys,
  };
}

/**
 * Limits the requests of a tenant that use the engines at once, so that its long queries cannot occupy every connection. Requests to a
 * provider need no slot, because they mostly wait for the provider.
 */
function withSlot<A>(
  { refusals }: Route,
  { caller, signal }: Call,
  { scheduler }: Pick<OperationDeps<unknown>, 'scheduler'>,
  work: () => Promise<A>,
): Promise<A> {
  if (!scheduler || !caller || refusals?.includes('provider_error')) return work();
  return scheduler.run(caller.credentialId, caller.workspaceId ?? caller.credentialId, () => {
    signal.throwIfAborted();
    return work();
  });
}

async function parse(
  route: Route,
  { params, query, body, contentType }: RawInput,
  { bodies }: OperationDeps<unknown>,
  meter: Meter,
) {
  const parts = { params: parseParams(route, params), query: parseQuery(route, query) };
  const text = bodyTextOf(route, body, contentType);
  const read = text && (await readBody(text, bodies, meter.add));
  return { ...parts, body: meter.measure(() => judgeBody(route, read)) };
}

/** A forbidden request is answered only after the attempt has been logged. */
async function auditing<A>(
  { auditRefusal }: Pick<OperationDeps<unknown>, 'auditRefusal'>,
  route: Route,
  { caller, requestId, now }: Call,
  work: () => Promise<A>,
): Promise<A> {
  try {
    return await work();
  } catch (error) {
    if (caller && isForbidden(error)) await auditRefusal(route, caller, error, requestId, now);
    throw error;
  }
}

const isForbidden = (error: unknown): error is Refusal =>
  error instanceof Refusal && errorEntry(error.code).status === 403;

async function admitOrRecord(desk: OperationDeps<unknown>, route: Route, caller: Caller, call: Call): Promise<void> {
  try {
    admit(route, caller);
  } catch (refusal) {
    await recordRefusedRead(desk, route, caller, call);
    throw refusal;
  }
}

/** A refused attempt to read customers is part of the data access log. */
async function recordRefusedRead(
  { gate }: OperationDeps<unknown>,
  route: Route,
  caller: Caller,
  call: Call,
): Promise<void> {
  const isOfProfile = caller.profileId !== undefined && caller.workspaceId !== undefined;
  if (route.access.grain === 'person' && isOfProfile)
    await recordAccess(gate, disclosureTo(route, caller, call), 'refused');
}

/** The recipient of a response with personal data, and the permissions to check again under the lock. */
function disclosureTo(
  route: Route,
  caller: Caller,
  { requestId, now }: Call,
  disclosedKeys?: DisclosedKeys,
): Disclosure {
  const { kind, credentialId, userId, workspaceId, profileId = disclosedKeys?.profileId } = caller;
  if (!profileId || !workspaceId) throw new Error(`${route.id} answers with people of no profile.`);
  return {
    operation: route.id,
    profileId,
    workspaceId,
    actor: userId ? { kind: 'user', id: userId } : { kind, id: credentialId },
    people: 0,
    requestId,
    now,
    recheck: async (tx) => {
      const fresh = await caller.recheck(tx, now);
      if (!fresh) refuse('unauthorized', 'The credential was revoked while the request was at work.');
      readmit(route, caller, fresh);
      if (disclosedKeys && !mayStillDiscloseKeys(caller, fresh))
        refuse('insufficient_scope', 'The credential may no longer see the keys of customers that the answer holds.', {
          fields: { required_scopes: ['customers:read'] },
        });
    },
  };
}

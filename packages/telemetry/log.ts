import { pino } from 'pino';
import type { RequestFacts } from './request-facts.ts';

/**
 * Logs name routes, ids and outcomes, never what was sent: the address (a search term may stand in it), headers, bodies and
 * IP addresses have no way into a line, because these functions do not take them.
 */
export interface Log {
  request(state: RequestFacts, method: string, status: number, milliseconds: number): void;
  /** A fault of ours. */
  failure(state: RequestFacts | undefined, error: unknown): void;
  /** Background work that failed; `fault` says why without what it quotes. */
  failedWork(
    facts: { readonly work: string; readonly key: string | undefined; readonly fault: string },
    error: unknown,
  ): void;
  note(state: RequestFacts, text: string): void;
  say(text: string, facts?: Record<string, string | number | boolean>): void;
}

export function createLog(
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent',
  destination?: { write(line: string): void },
): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination({ sync: false }),
  );
  const facts = (state: RequestFacts | undefined) => ({
    request_id: state?.requestId,
    operation: state?.route?.id,
    credential: state?.caller && `${state.caller.kind}:${state.caller.credentialId}`,
    profile_id: state?.caller?.profileId,
  });
  return {
    request(state, method, status, milliseconds) {
      logger.info(
        { ...facts(state), method, status, code: state.errorCode, ms: Math.round(milliseconds * 100) / 100 },
        'request',
      );
    },
    failure(state, error) {
      const { name, message, stack, code } = error as Error & { code?: string };
      // While a request is served, an error's text may quote what was sent or the row it is about; where it was thrown and
      // its code say enough. A multi-line message would come with the stack, hence only the lines that name a place.
      logger.error(
        {
          ...facts(state),
          error: name,
          error_code: code,
          message: state ? undefined : message,
          at: placesOf(stack),
        },
        'failure',
      );
    },
    failedWork({ work, key, fault }, error) {
      const { name, stack, code } = error as Error & { code?: string };
      logger.error({ work, key, error: name, error_code: code, message: fault, at: placesOf(stack) }, 'work failed');
    },
    note: (state, text) => logger.warn(facts(state), text),
    say: (text, more = {}) => logger.info(more, text),
  };
}

const placesOf = (stack: string | undefined): string[] | undefined =>
  stack
    ?.split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .*:\d+:\d+\)?$/.test(line))
    .slice(0, 8);

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
  /** `more`: ids, moments and words of closed lists. */
  note(state: RequestFacts | undefined, text: string, more?: Readonly<Record<string, string>>): void;
  say(text: string, facts?: Record<string, string | number | boolean>): void;
}

/** Written together when there is so much of it, or when so much time has passed; at the end of the process whatever is left. */
const gathered = { sync: false, minLength: 8 * 1024, periodicFlush: 1_000 } as const;

/** Lines to a file or, without one, to standard output. */
export const openLogFile = (fd = 1) => pino.destination({ dest: fd, ...gathered });

export function createLog(
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent',
  destination: { write(line: string): void; flush?(): void } = openLogFile(),
): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const isInfo = logger.isLevelEnabled('info');
  // What tells of trouble, or of the process itself, is not kept waiting: the next thing may be its end.
  const flush = () => destination.flush?.();
  const facts = (state: RequestFacts | undefined) => ({
    request_id: state?.requestId,
    operation: state?.route?.id,
    credential: state?.caller && `${state.caller.kind}:${state.caller.credentialId}`,
    profile_id: state?.caller?.profileId,
  });
  return {
    request(state, method, status, milliseconds) {
      if (!isInfo) return;
      // Put together by hand, for there is one to each request: ids and words of closed lists, none of which needs escaping.
      const { requestId, route, caller, errorCode } = state;
      destination.write(
        `{"level":"info","time":"${new Date().toISOString()}","request_id":"${requestId}"${
          route ? `,"operation":"${route.id}"` : ''
        }${caller ? `,"credential":"${caller.kind}:${caller.credentialId}"` : ''}${
          caller?.profileId ? `,"profile_id":"${caller.profileId}"` : ''
        },"method":"${method}","status":${status}${errorCode ? `,"code":"${errorCode}"` : ''},"ms":${
          Math.round(milliseconds * 100) / 100
        },"msg":"request"}\n`,
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
      flush();
    },
    failedWork({ work, key, fault }, error) {
      const { name, stack, code } = error as Error & { code?: string };
      logger.error({ work, key, error: name, error_code: code, message: fault, at: placesOf(stack) }, 'work failed');
      flush();
    },
    note: (state, text, more = {}) => logger.warn({ ...facts(state), ...more }, text),
    say(text, more = {}) {
      logger.info(more, text);
      flush();
    },
  };
}

const placesOf = (stack: string | undefined): string[] | undefined =>
  stack
    ?.split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .*:\d+:\d+\)?$/.test(line))
    .slice(0, 8);

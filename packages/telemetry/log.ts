import { pino } from 'pino';
import type { RequestFacts } from './request-facts.ts';

/**
 * Log lines contain routes, ids and outcomes, never request content. These functions do not accept URLs (which may
 * contain a search term), headers, bodies or IP addresses.
 */
export interface Log {
  request(state: RequestFacts, method: string, status: number, milliseconds: number): void;
  /** Logs an internal error. */
  failure(state: RequestFacts | undefined, error: unknown): void;
  /** Logs failed background work; `fault` is the reason without any quoted content. */
  failedWork(
    facts: { readonly work: string; readonly key: string | undefined; readonly fault: string },
    error: unknown,
  ): void;
  /** `more`: ids, times and values of closed lists. */
  note(state: RequestFacts | undefined, text: string, more?: Readonly<Record<string, string>>): void;
  say(text: string, facts?: Record<string, string | number | boolean>): void;
}

/** Lines are buffered up to this size or time, and flushed when the process ends. */
const buffering = { sync: false, minLength: 8 * 1024, periodicFlush: 1_000 } as const;

/** Writes lines to a file or, without one, to standard output. */
export const openLogFile = (fd = 1) => pino.destination({ dest: fd, ...buffering });

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
  // Errors and lifecycle messages are flushed at once: the process may end next.
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
      // Built by hand, because it runs once per request: ids and values of closed lists need no escaping.
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
      // While a request is served, an error message may quote request content or a row; the stack and the code are
      // enough. The stack repeats a multi-line message, so only the lines with a location are logged.
      logger.error(
        {
          ...facts(state),
          error: name,
          error_code: code,
          message: state ? undefined : message,
          at: stackLines(stack),
        },
        'failure',
      );
      flush();
    },
    failedWork({ work, key, fault }, error) {
      const { name, stack, code } = error as Error & { code?: string };
      logger.error({ work, key, error: name, error_code: code, message: fault, at: stackLines(stack) }, 'work failed');
      flush();
    },
    note: (state, text, more = {}) => logger.warn({ ...facts(state), ...more }, text),
    say(text, more = {}) {
      logger.info(more, text);
      flush();
    },
  };
}

const stackLines = (stack: string | undefined): string[] | undefined =>
  stack
    ?.split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .*:\d+:\d+\)?$/.test(line))
    .slice(0, 8);

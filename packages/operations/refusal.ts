import type { ErrorCode, ErrorFields } from '@tributary/contract';

/** A refusal for the caller: a code of the catalogue, a message, and a separate detail for our logs only. */
export class Refusal<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'Refusal';
  readonly code: Code;
  readonly fields: Partial<ErrorFields<Code>>;
  readonly internal: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, message: string, more: RefusalMore<Code> = {}) {
    super(message);
    this.code = code;
    this.fields = more.fields ?? {};
    this.internal = more.internal;
    this.headers = more.headers ?? {};
  }
}

export interface RefusalMore<Code extends ErrorCode> {
  readonly fields?: Partial<ErrorFields<Code>>;
  readonly internal?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function refuse<Code extends ErrorCode>(code: Code, message: string, more: RefusalMore<Code> = {}): never {
  throw new Refusal(code, message, more);
}

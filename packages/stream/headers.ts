import { headers as createHeaders, type MsgHdrs } from '@nats-io/transport-node';

/** This package's own headers. The history of a dead letter is in them, so that any NATS tool can read it. */
export const header = {
  /** The publisher's id, for messages whose `Nats-Msg-Id` had to differ so that the server would not drop them as duplicates. */
  messageId: 'Tributary-Message-Id',
  reason: 'Tributary-Reason',
  subject: 'Tributary-Subject',
  sequence: 'Tributary-Sequence',
  deliveries: 'Tributary-Deliveries',
  diedAt: 'Tributary-Died-At',
  /** Whether the message itself or an external fault was the cause. */
  cause: 'Tributary-Cause',
  /** How often the message was replayed from the dead letters. */
  replays: 'Tributary-Replays',
} as const;

export const serverMessageId = 'Nats-Msg-Id';

export type Headers = Readonly<Record<string, string>>;

const isReserved = (name: string) => /^(nats|tributary)-/i.test(name);

/** Describes what is wrong with a caller's headers, or returns undefined. A line break in a value would inject another header. */
export function headerFault(values: Headers): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    if (!/^[A-Za-z0-9-]+$/.test(name)) return `The header name "${name}" may hold only letters, digits and dashes.`;
    if (isReserved(name)) return `The header "${name}" is reserved.`;
    if (/[\r\n]/.test(value)) return `The header "${name}" holds a line break.`;
  }
  return undefined;
}

export function toNats(values: Headers): MsgHdrs {
  const result = createHeaders();
  for (const [name, value] of Object.entries(values)) result.set(name, value);
  return result;
}

/** The caller's headers, without those of the server and of this package. */
export function callerHeaders(headers: MsgHdrs | undefined): Headers {
  if (!headers) return {};
  const pairs = [...headers].filter(([name]) => !isReserved(name));
  return Object.fromEntries(pairs.map(([name, values]) => [name, values[0] ?? '']));
}

export function messageIdOf(headers: MsgHdrs | undefined): string {
  return headers?.get(header.messageId) || headers?.get(serverMessageId) || '';
}

export const replaysOf = (headers: MsgHdrs | undefined): number => Number(headers?.get(header.replays) || 0);

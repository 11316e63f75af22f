import { headers, type MsgHdrs } from '@nats-io/transport-node';

/** Our own headers. A dead letter tells its story in them, so that it can be read with any NATS tool. */
export const header = {
  /** The id the publisher gave, when `Nats-Msg-Id` had to be another so that the server would not filter the message out. */
  messageId: 'Tributary-Message-Id',
  reason: 'Tributary-Reason',
  subject: 'Tributary-Subject',
  sequence: 'Tributary-Sequence',
  deliveries: 'Tributary-Deliveries',
  diedAt: 'Tributary-Died-At',
  /** Whether the message itself is at fault, or what happened around it. */
  cause: 'Tributary-Cause',
  /** How often it came back from the dead letters. */
  replays: 'Tributary-Replays',
} as const;

export const serverMessageId = 'Nats-Msg-Id';

export type Headers = Readonly<Record<string, string>>;

const isOurs = (name: string) => /^(nats|tributary)-/i.test(name);

/** What is wrong with a caller's headers, or undefined. A line break in a value would forge a header of its own. */
export function headerFault(values: Headers): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    if (!/^[A-Za-z0-9-]+$/.test(name)) return `The header name "${name}" may hold only letters, digits and dashes.`;
    if (isOurs(name)) return `The header "${name}" is reserved.`;
    if (/[\r\n]/.test(value)) return `The header "${name}" holds a line break.`;
  }
  return undefined;
}

export function toNats(values: Headers): MsgHdrs {
  const built = headers();
  for (const [name, value] of Object.entries(values)) built.set(name, value);
  return built;
}

/** The caller's headers, without the server's and our own. */
export function callerHeaders(found: MsgHdrs | undefined): Headers {
  if (!found) return {};
  const pairs = [...found].filter(([name]) => !isOurs(name));
  return Object.fromEntries(pairs.map(([name, values]) => [name, values[0] ?? '']));
}

export function messageIdOf(found: MsgHdrs | undefined): string {
  return found?.get(header.messageId) || found?.get(serverMessageId) || '';
}

export const replaysOf = (found: MsgHdrs | undefined): number => Number(found?.get(header.replays) || 0);

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

/** DNS records by name. A 'silent' name never gets a response; a missing name does not exist. */
export type DnsRecords = Record<string, { cname?: string; txt?: string[] } | 'silent'>;

export interface TestDns {
  readonly server: string;
  /** Tests may change the records between two queries. */
  records: DnsRecords;
  close(): Promise<void>;
}

const noSuchName = 3;

/** A real DNS server on the loopback interface for CNAME and TXT. */
export async function startDns(records: DnsRecords = {}): Promise<TestDns> {
  const socket = createSocket('udp4');
  const dns: TestDns = {
    server: '',
    records,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (bytes, client) => {
    const { id, questions: [question] = [] } = decode(bytes);
    if (!question) return;
    const record = dns.records[question.name.toLowerCase()];
    if (record === 'silent') return;
    const { name } = question;
    const answers = [
      ...(record?.cname && question.type === 'CNAME' ? [{ type: 'CNAME' as const, name, data: record.cname }] : []),
      ...(question.type === 'TXT' ? (record?.txt ?? []).map((data) => ({ type: 'TXT' as const, name, data })) : []),
    ];
    const flags = AUTHORITATIVE_ANSWER | (record ? 0 : noSuchName);
    socket.send(
      encode({ type: 'response', id: id ?? 0, flags, questions: [question], answers }),
      client.port,
      client.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return Object.assign(dns, { server: `127.0.0.1:${socket.address().port}` });
}

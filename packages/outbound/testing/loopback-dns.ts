import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

export type RecordType = 'A' | 'AAAA';

export interface DnsAnswer {
  /** Aliases between the queried name and the addresses. */
  readonly aliases?: readonly string[];
  /** Addresses of both families; the server returns those of the queried type. */
  readonly addresses: readonly string[];
}

export interface LoopbackDns {
  /** For `Resolver.setServers`. */
  readonly server: string;
  close(): Promise<void>;
}

/**
 * A real DNS server on loopback. It answers A and AAAA queries with the current result of `answer`, so that a test can change it between
 * two queries. It does not respond to a query whose answer is undefined. A resolver that times out repeats its query with the same id.
 */
export async function startLoopbackDns(
  answer: (name: string, type: RecordType, id: number) => DnsAnswer | undefined | Promise<DnsAnswer>,
): Promise<LoopbackDns> {
  const socket = createSocket('udp4');
  let closed = false;
  socket.on('message', async (query, client) => {
    const question = readQuestion(query);
    const found = await answer(question.name, question.type, query.readUInt16BE(0));
    // The client may have closed the server while the answer was delayed.
    if (found !== undefined && !closed) socket.send(writeResponse(query, question, found), client.port, client.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    close: () => {
      closed = true;
      return new Promise((resolve) => socket.close(resolve));
    },
  };
}

interface Question {
  readonly name: string;
  readonly type: RecordType;
  readonly end: number;
}

const headerBytes = 12;
const typeNumber = { A: 1, AAAA: 28 } as const;
const cnameNumber = 5;

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1) === typeNumber.AAAA ? 'AAAA' : 'A';
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function writeResponse(query: Buffer, question: Question, { aliases = [], addresses }: DnsAnswer): Buffer {
  const names = [question.name, ...aliases].map(writeName);
  const owner = names.at(-1) as Buffer;
  const records = aliases.map((_, index) =>
    writeRecord(names[index] as Buffer, cnameNumber, names[index + 1] as Buffer),
  );
  for (const address of addresses) {
    // With a leading zero, because ipaddr.js parses the IPv4-compatible ::10.0.0.1 as IPv4-mapped.
    const bytes = Buffer.from(ipaddr.parse(address.replace(/^::(?=\d+\.)/, '0::')).toByteArray());
    if ((bytes.length === 4) === (question.type === 'A')) {
      records.push(writeRecord(owner, typeNumber[question.type], bytes));
    }
  }
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180, 2); // a response; recursion desired and available; no error
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(headerBytes, question.end), ...records]);
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(String.fromCharCode(label.length) + label, 'latin1'));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function writeRecord(name: Buffer, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(3600, 4); // a TTL of an hour, so that the rebinding tests detect cached answers
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fields, data]);
}

import { ClickHouseError } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { ClickHouseFailure, isTransient } from './failure.ts';

const verdict = (type: string) => new ClickHouseError({ message: 'no', code: '1', type });

test.each([
  ['connection refused', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), true],
  ['request timed out', new Error('Timeout error.'), true],
  ['a proxy responded', new Error('502 Bad Gateway'), true],
  ['the engine is overloaded', verdict('TOO_MANY_SIMULTANEOUS_QUERIES'), true],
  ['a shard is away', verdict('ALL_CONNECTION_TRIES_FAILED'), true],
  ['its disk is full', verdict('NOT_ENOUGH_SPACE'), true],
  ['its disk was full while it wrote', verdict('CANNOT_WRITE_TO_FILE_DESCRIPTOR'), true],
  ['it is only to be read', verdict('READONLY'), true],
  ['the rows are wrong', verdict('INCORRECT_DATA'), false],
  ['its data was lost', verdict('UNKNOWN_DATABASE'), true],
  ['the table is missing, until it is made again', verdict('UNKNOWN_TABLE'), true],
  ['the column is missing, until it is added', verdict('UNKNOWN_IDENTIFIER'), true],
  ['the statement is wrong', verdict('SYNTAX_ERROR'), false],
  ['the password is wrong', verdict('AUTHENTICATION_FAILED'), false],
])('%s: transient or not', (_, error, transient) => {
  expect(isTransient(error)).toBe(transient);
  expect(isTransient(new ClickHouseFailure('visit_count', 'id', error))).toBe(transient);
});

test('READONLY is transient for a write and not for a read-only query', () => {
  const about = (isReadOnly: boolean, type: string) =>
    new ClickHouseFailure('visit_count', 'id', verdict(type), { isReadOnly }).transient;
  expect([about(false, 'READONLY'), about(true, 'READONLY'), about(true, 'TABLE_IS_READ_ONLY')]).toEqual([
    true,
    false,
    true,
  ]);
});

test('a failure names the statement and its query id', () => {
  const failure = new ClickHouseFailure('visit_count', 'visit_count-1', verdict('UNKNOWN_TABLE'));
  expect(failure.message).toBe('ClickHouse, visit_count (query id visit_count-1): no');
  expect(failure.type).toBe('UNKNOWN_TABLE');
});

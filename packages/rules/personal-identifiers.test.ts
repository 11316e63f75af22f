import { describe, expect, test } from 'vitest';
import { normaliseEmail, normalisePhone } from './normalise.ts';
import { possibleNames } from './personal-identifiers.ts';
import { normaliseRut } from './rut.ts';

const url = 'https://shop.example/thanks?email=ana@canary.example&name=Ana';

describe('finds an e-mail address', () => {
  const texts: [where: string, content: unknown][] = [
    ['alone', 'ana@canary.example'],
    ['in a sentence', 'please mail ana@canary.example, she waits.'],
    ['at its end', 'mail ana@canary.example.'],
    ['between brackets', 'Ana <ana@canary.example>'],
    ['after a scheme', 'mailto:ana@canary.example?subject=x'],
    ['in an address', url],
    ['in an encoded address', `https://x.example/?next=${encodeURIComponent(url)}`],
    ['in one that was encoded twice', `https://x.example/?next=${encodeURIComponent(encodeURIComponent(url))}`],
    ['in a path', 'https://shop.example/u/ana%40canary.example/orders'],
    ['in a hash', 'https://shop.example/#/u/ana@canary.example'],
    ['with large letters', 'Ana@Canary.Example'],
    ['in full-width letters', 'ana＠canary.example'],
    ['as an entity', 'ana&#64;canary.example, ana&commat;canary.example'],
    ['in a record within a text', JSON.stringify({ who: JSON.stringify({ mail: 'ana@canary.example' }) })],
    ['with its letters escaped', '{"mail":"ana\\u0040canary.example"'],
    ['in base64', `token=${Buffer.from('{"e":"ana@canary.example"}').toString('base64url')}`],
    ['as the name of a field', { 'ana@canary.example': true }],
    ['deep down', { a: [{ b: [['x', url]] }] }],
  ];
  test.each(texts)('%s', (_where, content) => {
    expect([...possibleNames(content).emails].map(normaliseEmail)).toContain('ana@canary.example');
  });
});

describe('finds a number', () => {
  const phones = [
    'call +56 9 8765 4321 today',
    'call 9 8765 4321, or 56987654321',
    'https://wa.me/56987654321?text=hi',
    'tel=%2B56987654321&x=1',
    'tel=+56+9+8765+4321',
    '(56) 9-8765-4321',
    'order 12 phone 987654321',
    '{"p":987654321}',
  ];
  test.each(phones)('a phone: %s', (text) => {
    const read = [...possibleNames(text).numbers].flatMap((one) => [
      normalisePhone(one, 'CL'),
      normalisePhone(`+${one.replace(/\D/g, '')}`, 'CL'),
    ]);
    expect(read).toContain('+56987654321');
  });

  const ruts = [
    'rut 12.345.678-5.',
    '/u/12345678-5/x',
    'rut=12.345.678%2D5',
    'rut 12 345 678 5, phone 987654321',
    'es 123456785!',
  ];
  test.each(ruts)('a national id: %s', (text) => {
    expect([...possibleNames(text).numbers].map(normaliseRut)).toContain('12345678-5');
  });
});

describe('finds a key', () => {
  test.each([
    ['1118', 'alone'],
    ['https://shop.example/?customer_id=1118', 'as a parameter'],
    ['https://shop.example/u/1118/x', 'in a path'],
  ])('%s: a short one %s', (text) => expect(possibleNames(text).keys).toContain('1118'));
  test('within a sentence only from six letters', () => {
    const { keys } = possibleNames('the order of key-ana, and of 1118');
    expect(keys).toContain('key-ana');
    expect(keys).not.toContain('1118');
  });
});

test('the time is proportional to the length for any kind of text', () => {
  const hostile = [
    '%25'.repeat(20_000),
    '1 '.repeat(30_000),
    'a@'.repeat(30_000),
    '+'.repeat(60_000),
    '{"'.repeat(30_000),
  ];
  for (const text of [...hostile, 'Zm9v'.repeat(15_000), `${'/'.repeat(60_000)}@x`]) {
    const before = process.cpuUsage();
    possibleNames(text);
    expect(process.cpuUsage(before).user / 1_000, text.slice(0, 10)).toBeLessThan(2_000);
  }
});

import { describe, expect, test } from 'vitest';
import { readBcchRates, readEcbRates, readRateRow, UnreadableRates } from './index.ts';

const ecb = (cubes: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"><gesmes:subject>Reference rates</gesmes:subject><Cube>${cubes}</Cube></gesmes:Envelope>`;

describe('the European Central Bank', () => {
  test('returns each currency with the dollar of its day, and the euro', () => {
    const quotes = readEcbRates(
      ecb("<Cube time='2026-05-04'>\n<Cube currency='USD' rate='1.08'/><Cube currency='JPY' rate='160.5'/></Cube>"),
    );
    expect(quotes).toEqual([
      { day: '2026-05-04', currency: 'USD', units: '1.08', usd: '1.08' },
      { day: '2026-05-04', currency: 'JPY', units: '160.5', usd: '1.08' },
      { day: '2026-05-04', currency: 'EUR', units: '1', usd: '1.08' },
    ]);
  });

  test.each([
    ['no day', ecb('')],
    ['a day without the dollar', ecb("<Cube time='2026-05-04'><Cube currency='JPY' rate='160.5'/></Cube>")],
    ['a rate of nothing', ecb("<Cube time='2026-05-04'><Cube currency='USD' rate='0'/></Cube>")],
    ['a day that is none', ecb("<Cube time='2026-02-30'><Cube currency='USD' rate='1'/></Cube>")],
    ['a page that says sorry', '<html>Sorry</html>'],
  ])('rejects the whole file: %s', (_, text) => {
    expect(() => readEcbRates(text)).toThrow(UnreadableRates);
  });
});

describe('Banco Central de Chile', () => {
  const series = (...obs: object[]) =>
    JSON.stringify({ Codigo: 0, Descripcion: 'Success', Series: { seriesId: 'F073.TCO.PRE.Z.D', Obs: obs } });

  test('returns pesos per dollar and skips days without a rate', () => {
    const quotes = readBcchRates(
      series(
        { indexDateString: '04-05-2026', value: '951.23', statusCode: 'OK' },
        { indexDateString: '05-05-2026', value: 'NaN', statusCode: 'ND' },
      ),
    );
    expect(quotes).toEqual([
      { day: '2026-05-04', currency: 'USD', units: '1', usd: '1' },
      { day: '2026-05-04', currency: 'CLP', units: '951.23', usd: '1' },
    ]);
  });

  test.each([
    ['no JSON', '<html>'],
    ['an error response', JSON.stringify({ Codigo: -5, Descripcion: 'Invalid user', Series: null })],
    ['an invalid value', series({ indexDateString: '04-05-2026', value: 'x', statusCode: 'OK' })],
  ])('rejects the whole response: %s', (_, text) => {
    expect(() => readBcchRates(text)).toThrow(UnreadableRates);
  });
});

test.each([
  [['2026-05-04', 'clp', '951.23'], true],
  [['2026-05-04', 'USD', '1'], true],
  [['2026-05-04', 'USD', '2'], false],
  [['04-05-2026', 'CLP', '951.23'], false],
  [['2026-05-04', 'XXY', '951.23'], false],
  [['2026-05-04', 'CLP', '951,23'], false],
  [['2026-05-04', 'CLP', '-1'], false],
])('parses the row %j: %s', (row, isRead) => {
  expect(readRateRow(row) !== undefined).toBe(isRead);
});

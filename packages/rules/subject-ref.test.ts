import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonNames } from './common-names.ts';
import { parseSubjectRef } from './index.ts';

describe('a subject_ref', () => {
  test.each([
    '3f2b8c1e-9d47-4a6b-8e21-5c0d9f7a1b3e',
    '00000000-0000-0000-0000-000000000000',
    // Enough digits for a phone number, but a UUID.
    '12345678-1234-4234-8234-123456789012',
  ])('[inge-023] may be the canonical UUID %s', (uuid) => {
    expect(parseSubjectRef(uuid)).toEqual({ ok: true, value: uuid });
    expect(parseSubjectRef(uuid.toUpperCase())).toEqual({ ok: true, value: uuid });
  });

  test('[inge-023] may be any canonical UUID', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(parseSubjectRef(uuid).ok).toBe(true);
      }),
    );
  });

  test.each([
    'a',
    '7',
    'patient_42',
    'CHILD-2',
    'pet_rex_1',
    'hijo-3',
    '123456',
    'a123456b654321',
    '12a-34567',
    '_-_',
    'V1StGXR8_Z5jdHi6B-myT',
    'clh3x9k2p0s8q',
    'x'.repeat(32),
    'mArIa7',
    'anastasia-x',
    'xmaria',
    '507f1f77bcf86cd799439a1b',
    // Hexadecimal, but not the length of a digest.
    'abcdef0a'.repeat(3),
  ])('[inge-024] may be the token %s', (text) => {
    expect(parseSubjectRef(text)).toEqual({ ok: true, value: text });
  });

  test.each<[reason: string, text: string]>([
    ['at_sign', 'jane@example.com'],
    ['at_sign', '@'],
    ['at_sign', '3f2b8c1e-9d47-4a6b-8e21-5c0d9f7a1b3e@'],
    ['hex_digest', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['hex_digest', 'D41D8CD98F00B204E9800998ECF8427E'],
    ['hex_digest', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['hex_digest', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['malformed', ''],
    ['malformed', ' '],
    ['malformed', 'x'.repeat(33)],
    ['malformed', 'a b'],
    ['malformed', 'a.b'],
    ['malformed', 'josé'],
    ['malformed', 'a\n'],
    ['malformed', '{3f2b8c1e-9d47-4a6b-8e21-5c0d9f7a1b3e}'],
    ['malformed', '3f2b8c1e9d47-4a6b-8e21-5c0d9f7a1b3e'],
    ['malformed', '1990/01/31'],
    ['malformed', '+56912345678'],
    ['long_number', '1234567'],
    ['long_number', '12345678901234567890123456789012'.slice(1)],
    ['long_number', 'p1234567'],
    ['long_number', '12-345-67'],
    ['long_number', '1_2_3_4_5_6_7'],
    ['long_number', 'x12-34--567_y'],
    ['long_number', '12345678-5'],
    ['long_number', '20261332'],
    ['long_number', '199001311'],
    ['date', '19900131'],
    ['date', '1990-01-31'],
    ['date', '1990_01_31'],
    ['date', '31011990'],
    ['date', '31-01-1990'],
    ['date', '01311990'],
    ['date', '01-31-1990'],
    ['date', '20-26-02-28'],
    ['date', 'born_2011-12-31'],
    ['name', 'maria'],
    ['name', 'Maria'],
    ['name', 'MARIA'],
    ['name', 'maria_7'],
    ['name', '7maria'],
    ['name', 'patient-munoz-2'],
    ['name', 'p1_Juan'],
    ['name', 'j_smith'],
    ['name', 'joao-1'],
    ['name', 'JuanPerez'],
    ['name', 'KidSmith2'],
  ])('is rejected as %s: %j', (reason, text) => {
    expect(parseSubjectRef(text)).toEqual({ ok: false, reason });
  });

  const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'];
  const tokens = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 32 });

  test('seven digits are rejected with any separators', () => {
    const separated = fc.array(fc.tuple(fc.constantFrom(...'0123456789'), fc.constantFrom('', '-', '_', '--')), {
      minLength: 7,
      maxLength: 10,
    });
    fc.assert(
      fc.property(separated, (pairs) => {
        expect(parseSubjectRef(pairs.flat().join('')).ok).toBe(false);
      }),
    );
  });

  test('the stored form of an accepted value is accepted unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(tokens, fc.uuid(), fc.string()), (text) => {
        const first = parseSubjectRef(text);
        if (first.ok) expect(parseSubjectRef(first.value)).toEqual(first);
      }),
    );
  });

  test('of many random ids none is mistaken for a name', () => {
    const ids = fc.sample(fc.string({ unit: fc.constantFrom(...characters), minLength: 21, maxLength: 21 }), {
      numRuns: 20_000,
      seed: 1,
    });
    expect(ids.filter((id) => !parseSubjectRef(id).ok).length).toBeLessThan(20);
  });
});

describe('common names', () => {
  const names = [...commonNames];

  test('are sorted words of lower-case letters', () => {
    expect(names).toEqual(names.toSorted());
    for (const name of names) expect(name).toMatch(/^[a-z]{3,}$/);
  });

  test('do not include what a hexadecimal id spells by chance', () => {
    expect(names.filter((name) => /^[a-f]+$/.test(name))).toEqual([]);
  });

  test('do not include common words of ids', () => {
    const usual = `account baby beneficiary case child client cliente contact customer dependent dog family familia guest hijo hija
      household kid madre member mother nieto nina nino order ordem padre paciente patient person pessoa pet plan player ref
      relative sibling sister socio son student sub subject test tutor user alpha bravo delta green king may rose stone young`;
    expect(usual.split(/\s+/).filter((word) => commonNames.has(word))).toEqual([]);
  });
});

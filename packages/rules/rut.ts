// Common separators; any other character means that the text is not a RUT.
const rutSeparators = /[\s.,'\u00ad\u2010-\u2015\u2212_-]/gu;

/** Normalises a Chilean RUT to `12345678-5` if its check digit is correct. */
export function normaliseRut(text: string): string | undefined {
  const characters = text.normalize('NFKC').replace(rutSeparators, '').toUpperCase();
  const [, body, checkDigit] = /^0*([1-9]\d{5,7})([\dK])$/.exec(characters) ?? [];
  return body && checkDigit === rutCheckDigit(body) ? `${body}-${checkDigit}` : undefined;
}

/** Modulo 11 with the weights 2 to 7 from the right; ten is written as K. */
function rutCheckDigit(body: string): string {
  let sum = 0;
  for (let position = 0; position < body.length; position += 1)
    sum += Number(body.at(-1 - position)) * (2 + (position % 6));
  const digit = (11 - (sum % 11)) % 11;
  return digit === 10 ? 'K' : String(digit);
}

// People and spreadsheets separate with these; anything else in it means that it is not a RUT.
const rutSeparators = /[\s.,'\u00ad\u2010-\u2015\u2212_-]/gu;

/** A Chilean RUT as `12345678-5`, if its check digit is right. */
export function normaliseRut(text: string): string | undefined {
  const characters = text.normalize('NFKC').replace(rutSeparators, '').toUpperCase();
  const [, body, checkDigit] = /^0*([1-9]\d{5,7})([\dK])$/.exec(characters) ?? [];
  return body && checkDigit === rutCheckDigit(body) ? `${body}-${checkDigit}` : undefined;
}

/** Modulo 11 with the weights 2 to 7 from the right; ten is written K. */
function rutCheckDigit(body: string): string {
  let sum = 0;
  for (let place = 0; place < body.length; place += 1) sum += Number(body.at(-1 - place)) * (2 + (place % 6));
  const digit = (11 - (sum % 11)) % 11;
  return digit === 10 ? 'K' : String(digit);
}

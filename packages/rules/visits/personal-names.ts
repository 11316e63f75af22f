/**
 * Parameters whose value is personal or secret regardless of its form, recognised by name. Names are compared in
 * lower case, without separators: `First-Name`, `first_name` and `contact[firstName]` are equal.
 */

/** Words that replace removed data. The list is fixed, so that masked pages can still be grouped. */
export const maskWords = {
  email: '~email',
  phone: '~phone',
  nationalId: '~national_id',
  name: '~name',
  personal: '~personal',
  token: '~token',
  click: '~click',
} as const;
export type MaskWord = (typeof maskWords)[keyof typeof maskWords];

interface PersonalName {
  readonly word: MaskWord;
  /** Matches anywhere in the name: `customer_email_address`. */
  readonly anywhere: readonly string[];
  /** Matches only the whole name or a separate part of it: `tel`, `tel_home`, but not `hotel`. */
  readonly whole: readonly string[];
}

export const personalNames: readonly PersonalName[] = [
  { word: maskWords.email, anywhere: ['email', 'correo'], whole: ['mail', 'eml', 'em'] },
  {
    word: maskWords.phone,
    anywhere: ['phone', 'telefono', 'celular', 'whatsapp', 'msisdn', 'telephone'],
    whole: ['tel', 'mobile', 'movil', 'fono', 'cel', 'ph', 'fax', 'waid'],
  },
  {
    word: maskWords.nationalId,
    anywhere: ['nationalid', 'passport', 'pasaporte', 'documentnumber', 'taxid', 'socialsecurity'],
    whole: ['rut', 'run', 'dni', 'cpf', 'cuit', 'cuil', 'curp', 'rfc', 'nif', 'nie', 'ssn', 'cedula', 'documento'],
  },
  {
    word: maskWords.name,
    anywhere: [
      'firstname',
      'lastname',
      'fullname',
      'givenname',
      'familyname',
      'surname',
      'middlename',
      'username',
      'nickname',
      'nombre',
      'apellido',
      'yourname',
      'contactname',
      'customername',
      'clientname',
      'cardholder',
    ],
    whole: ['name', 'fname', 'lname', 'user', 'usuario', 'login', 'handle'],
  },
  {
    word: maskWords.personal,
    anywhere: [
      'birthdate',
      'birthday',
      'dateofbirth',
      'fechanacimiento',
      'streetaddress',
      'cardnumber',
      'creditcard',
      'ipaddress',
    ],
    whole: [
      'address',
      'addr',
      'direccion',
      'domicilio',
      'street',
      'dob',
      'zip',
      'zipcode',
      'postalcode',
      'patient',
      'paciente',
      'lat',
      'lng',
      'lon',
      'latitude',
      'longitude',
      'ip',
      'cvv',
      'cvc',
      'pan',
      'iban',
    ],
  },
  {
    word: maskWords.token,
    anywhere: [
      'token',
      'passw',
      'contrasena',
      'secret',
      'apikey',
      'accesskey',
      'privatekey',
      'session',
      'sessid',
      'signature',
      'credential',
      'bearer',
      'jwt',
      'csrf',
      'xsrf',
      'oauth',
      'verifier',
      'magiclink',
      'resetkey',
      'authoriz',
      // Names that callers use for customer ids.
      'customerid',
      'customerkey',
      'customerref',
      'contactid',
    ],
    whole: [
      'auth',
      'code',
      'codigo',
      'pass',
      'pwd',
      'clave',
      'pin',
      'key',
      'sig',
      'sid',
      'sso',
      'saml',
      'samlresponse',
      'samlrequest',
      'relaystate',
      'otp',
      'nonce',
      'ticket',
      'state',
      'invite',
      'hmac',
      'hash',
      'uid',
      'uuid',
      'userid',
      'clientid',
      'externalid',
      'externalref',
      'externaluserid',
      'subjectref',
      'memberid',
      'subscriberid',
      'visitorid',
      'deviceid',
      'cid',
      'svct',
      'svcv',
    ],
  },
];

const wordOfWhole = new Map(personalNames.flatMap(({ word, whole }) => whole.map((name) => [name, word] as const)));
const wordsOfAnywhere = personalNames.map(({ word, anywhere }) => ({ word, pattern: new RegExp(anywhere.join('|')) }));
const anyOfAnywhere = new RegExp(personalNames.flatMap(({ anywhere }) => anywhere).join('|'));

/** The kind of data in a parameter, judged by its decoded name; undefined if the name gives no indication. */
export function personalName(name: string): MaskWord | undefined {
  // Fast path: most names are a plain word.
  const lower = name.toLowerCase();
  const exact = wordOfWhole.get(lower);
  if (exact) return exact;
  const squashed = /^[a-z0-9]*$/.test(lower) ? lower : lower.normalize('NFKD').replace(/[^a-z0-9]+/g, '');
  if (anyOfAnywhere.test(squashed)) return wordsOfAnywhere.find(({ pattern }) => pattern.test(squashed))?.word;
  if (squashed === name) return undefined;
  const whole = wordOfWhole.get(squashed);
  if (whole) return whole;
  for (const part of name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)) {
    const word = wordOfWhole.get(part);
    if (word) return word;
  }
  return undefined;
}

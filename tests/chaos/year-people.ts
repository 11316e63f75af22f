export interface Person {
  readonly n: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  /** The shop's own id of the customer. */
  readonly key: string;
  readonly rut: string;
  /** The shop has only an e-mail address of the customer. */
  readonly isGuest: boolean;
  isErased: boolean;
}

const firstNames = ['Ana', 'Ben', 'Eva', 'Leo', 'Mia', 'Zoe', 'Iris', 'Noe', 'Lia', 'Max'];
const lastNames = ['Soto', 'Rojas', 'Vidal', 'Parra', 'Reyes', 'Mora', 'Lagos', 'Silva', 'Bravo', 'Pinto'];

export function newPerson(n: number): Person {
  const number = 11_000_000 + n * 7;
  return {
    n,
    firstName: firstNames[n % firstNames.length] as string,
    lastName: lastNames[Math.floor(n / firstNames.length) % lastNames.length] as string,
    email: `p${n}@shop-year.test`,
    key: `u-${n}`,
    rut: `${number}-${checkDigit(number)}`,
    isGuest: n % 4 === 3,
    isErased: false,
  };
}

/** The check digit of a Chilean national id: the digits from last to first are multiplied by 2 to 7, repeatedly. */
function checkDigit(number: number): string {
  const sum = [...String(number)]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (2 + (index % 6)), 0);
  const rest = 11 - (sum % 11);
  return rest === 11 ? '0' : rest === 10 ? 'K' : String(rest);
}

export const traitsOf = ({ email, key, isGuest }: Person) => (isGuest ? { email } : { email, external_id: key });
export const nameOf = ({ firstName, lastName }: Person): string => `${firstName} ${lastName}`;

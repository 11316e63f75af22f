import { hash, verify } from '@node-rs/argon2';
import { refuse } from '@tributary/operations';
import { isCompromised } from './compromised-passwords.ts';
import { turnstile } from './turnstile.ts';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** A hash uses a core for about 20 ms and a thread that file access and DNS also need, so password guessing can use only one core. */
const atOnce = 1;
const mostWaiting = 200;

export interface Passwords {
  hash(password: string): Promise<string>;
  verify(hashed: string, password: string): Promise<boolean>;
  /** Refuses a new password that is too short, or that attackers try first. */
  accept(password: string): void;
}

export function createPasswords(minLength: number): Passwords {
  const inTurn = turnstile(atOnce, mostWaiting);
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    verify: (hashed, password) => inTurn(() => verify(hashed, password)),
    accept(password) {
      if ([...password].length < minLength) {
        refuse('weak_password', `A password needs at least ${minLength} characters.`);
      }
      if (isCompromised(password)) {
        refuse('compromised_password', 'This password is in published lists of leaked ones. Choose another.');
      }
    },
  };
}

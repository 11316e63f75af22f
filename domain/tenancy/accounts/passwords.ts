import { hash, verify } from '@node-rs/argon2';
import { refuse } from '@tributary/operations';
import { isCompromised } from './compromised-passwords.ts';
import { limitConcurrency } from './limit-concurrency.ts';

/** The OWASP recommendation for argon2id: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** A hash uses a core for about 20 ms and a thread that file access and DNS also need, so password guessing can use only one core. */
const maxConcurrent = 1;
const maxWaiting = 200;

export interface Passwords {
  hash(password: string): Promise<string>;
  verify(hashed: string, password: string): Promise<boolean>;
  /** Refuses a new password that is too short, or that attackers try first. */
  accept(password: string): void;
}

export function createPasswords(minLength: number): Passwords {
  const limited = limitConcurrency(maxConcurrent, maxWaiting);
  return {
    hash: (password) => limited(() => hash(password, cost)),
    verify: (hashed, password) => limited(() => verify(hashed, password)),
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

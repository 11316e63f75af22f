import { refuse } from '@tributary/operations';
import { type Auth, type AuthRefusal, isAuthRefusal } from './auth.ts';

export interface SignedIn {
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly setCookie: string;
}

/** What better-auth's plugin answers; its types are lost among those of plugins that are not always there. */
interface Endpoints {
  enableTwoFactor(
    call: Asked<{ password: string; method: 'totp' }>,
  ): Answered<{ totpURI: string; backupCodes: string[] }>;
  disableTwoFactor(call: Asked<{ password: string }>): Answered<object>;
  verifyTOTP(call: Asked<{ code: string }>): Answered<{ user: SignedIn['user'] }>;
  verifyBackupCode(call: Asked<{ code: string }>): Answered<{ user: SignedIn['user'] }>;
}
interface Asked<Body> {
  readonly body: Body;
  readonly headers: Headers;
  readonly returnHeaders: true;
}
type Answered<Response> = Promise<{ readonly headers: Headers; readonly response: Response }>;

/** The cookie in which better-auth carries the challenge. We hand it out in the answer, and make the cookie of it again. */
const challengeCookie = 'better-auth.two_factor';

export interface SecondFactor {
  /** The challenge, when the password was right and a code is asked for. */
  challengeOf(headers: Headers): string | undefined;
  /** Undefined when the code is wrong or the challenge is over, without a word on which. */
  complete(challenge: string, code: string): Promise<SignedIn | undefined>;
  begin(cookie: string, password: string): Promise<{ otpauthUrl: string; recoveryCodes: readonly string[] }>;
  /** The cookie of the session that takes the place of this one; undefined when the code is wrong. */
  confirm(cookie: string, code: string): Promise<string | undefined>;
  disable(cookie: string, password: string): Promise<string>;
}

export function secondFactor(auth: () => Promise<Auth>, sessionCookieName: string): SecondFactor {
  const ask = async () => (await auth()).api as unknown as Endpoints;
  const asked = <Body>(cookie: string, body: Body): Asked<Body> => ({
    body,
    headers: new Headers({ cookie }),
    returnHeaders: true,
  });
  const sessionIn = (headers: Headers) => cookieIn(headers, sessionCookieName)?.line ?? '';
  return {
    challengeOf: (headers) => cookieIn(headers, challengeCookie)?.value,
    async complete(challenge, code) {
      const api = await ask();
      const call = asked(`${challengeCookie}=${challenge}`, { code });
      const answered = await unlessWrong(isTotp(code) ? api.verifyTOTP(call) : api.verifyBackupCode(call));
      if (!answered) return undefined;
      const { id, name, email } = answered.response.user;
      return { user: { id, name, email }, setCookie: sessionIn(answered.headers) };
    },
    async begin(cookie, password) {
      const { response } = await (await ask())
        .enableTwoFactor(asked(cookie, { password, method: 'totp' }))
        .catch(refuseState('There is a second factor already. Give it up first.'));
      return { otpauthUrl: response.totpURI, recoveryCodes: response.backupCodes };
    },
    async confirm(cookie, code) {
      const answered = await unlessWrong((await ask()).verifyTOTP(asked(cookie, { code }))).catch(
        refuseState('No second factor was begun. Begin with POST /account/two-factor.'),
      );
      return answered && sessionIn(answered.headers);
    },
    async disable(cookie, password) {
      const { headers } = await (await ask())
        .disableTwoFactor(asked(cookie, { password }))
        .catch(refuseState('There is no second factor to give up.'));
      return sessionIn(headers);
    },
  };
}

const isTotp = (code: string) => /^\d{6}$/.test(code);

/** A wrong code, a challenge that is over or used up, and an account that is closed for a while look alike from outside. */
async function unlessWrong<T>(answering: Promise<T>): Promise<T | undefined> {
  try {
    return await answering;
  } catch (error) {
    if (isAuthRefusal(error) && !isNotEnabled(error)) return undefined;
    throw error;
  }
}

const isNotEnabled = ({ body }: AuthRefusal) => (body as { code?: string } | undefined)?.code === 'TOTP_NOT_ENABLED';

const refuseState =
  (words: string) =>
  (error: unknown): never => {
    if (isAuthRefusal(error)) refuse('invalid_state', words);
    throw error;
  };

export function cookieIn(headers: Headers, name: string): { line: string; value: string } | undefined {
  for (const line of headers.getSetCookie()) {
    const value = line.startsWith(`${name}=`) ? line.slice(name.length + 1).split(';', 1)[0] : undefined;
    if (value) return { line, value };
  }
  return undefined;
}

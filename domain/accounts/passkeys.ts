import { isIP } from 'node:net';
import { refuse } from '@tributary/operations';
import { type Auth, isAuthRefusal, passkeyChallengeCookie } from './auth.ts';
import { cookieIn, type SignedIn } from './second-factor.ts';

/** What better-auth's plugin answers; its types are lost among those of plugins that are not always there. */
interface Endpoints {
  generatePasskeyRegistrationOptions(call: Asked): Answered<Options>;
  generatePasskeyAuthenticationOptions(call: Asked): Answered<Options>;
  verifyPasskeyRegistration(call: Asked & { body: { name: string; response: object } }): Answered<{ id: string }>;
  verifyPasskeyAuthentication(call: Asked & { body: { response: object } }): Answered<{ user: SignedIn['user'] }>;
}
interface Asked {
  readonly headers: Headers;
  readonly returnHeaders: true;
}
type Answered<Response> = Promise<{ readonly headers: Headers; readonly response: Response }>;

/** In the JSON of WebAuthn. */
interface Options {
  readonly challenge: string;
  [field: string]: unknown;
}

export interface Begun {
  readonly options: Options;
  /** Which of ours it is, signed. */
  readonly challenge: string;
}

export interface Passkeys {
  beginSignIn(): Promise<Begun>;
  /** Undefined when the key is nobody's, the signature is wrong or the challenge is over, without a word on which. */
  signIn(challenge: string, credential: object): Promise<SignedIn | undefined>;
  begin(cookie: string): Promise<Begun>;
  /** Its id; undefined when it is not what was asked for. */
  add(cookie: string, challenge: string, name: string, credential: object): Promise<string | undefined>;
}

/** The cookie in which better-auth carries the challenge. We hand it out in the answer, and make the cookie of it again. */
const challengeCookie = `better-auth.${passkeyChallengeCookie}`;

/** A browser binds a key to a name, and makes none where the page could be anybody's. */
export function canHavePasskeys(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && (protocol === 'https:' || hostname === 'localhost');
}

export function createPasskeys(auth: () => Promise<Auth>, sessionCookieName: string, baseUrl: string): Passkeys {
  const ask = async () => {
    if (!canHavePasskeys(baseUrl))
      refuse('invalid_state', 'Passkeys need a service that is reached over HTTPS and by a name (BASE_URL).');
    return (await auth()).api as unknown as Endpoints;
  };
  const asked = (cookie: string): Asked => ({ headers: new Headers({ cookie }), returnHeaders: true });
  const begun = async (answering: Answered<Options>): Promise<Begun> => {
    const { headers, response } = await answering;
    return { options: response, challenge: cookieIn(headers, challengeCookie)?.value ?? '' };
  };
  return {
    beginSignIn: async () => begun((await ask()).generatePasskeyAuthenticationOptions(asked(''))),
    async signIn(challenge, response) {
      const call = { ...asked(`${challengeCookie}=${challenge}`), body: { response } };
      const answered = await unlessWrong((await ask()).verifyPasskeyAuthentication(call));
      if (!answered) return undefined;
      const { id, name, email } = answered.response.user;
      return { user: { id, name, email }, setCookie: cookieIn(answered.headers, sessionCookieName)?.line ?? '' };
    },
    async begin(cookie) {
      const options = await unlessWrong((await ask()).generatePasskeyRegistrationOptions(asked(cookie)));
      return options
        ? begun(Promise.resolve(options))
        : refuse('invalid_state', 'This session cannot add a passkey. Sign in again, then add it.');
    },
    async add(cookie, challenge, name, response) {
      const call = { ...asked(`${cookie}; ${challengeCookie}=${challenge}`), body: { name, response } };
      return (await unlessWrong((await ask()).verifyPasskeyRegistration(call)))?.response.id;
    },
  };
}

/** Whatever is wrong with what a browser sent. Of a registration the plugin says so as a fault of its own. */
async function unlessWrong<T>(answering: Promise<T>): Promise<T | undefined> {
  try {
    return await answering;
  } catch (error) {
    const { code } = ((error as { body?: object }).body ?? {}) as { code?: string };
    if (isAuthRefusal(error) || code === 'FAILED_TO_VERIFY_REGISTRATION') return undefined;
    throw error;
  }
}

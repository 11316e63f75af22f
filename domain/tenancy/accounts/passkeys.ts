import { isIP } from 'node:net';
import { refuse } from '@tributary/operations';
import { type Auth, isAuthRefusal, passkeyChallengeCookie } from './auth.ts';
import { cookieIn, type SignedIn } from './second-factor.ts';

/** The endpoints of better-auth's plugin. Its own types are lost, because some plugins are loaded conditionally. */
interface Endpoints {
  generatePasskeyRegistrationOptions(call: CallOptions): ApiResponse<Options>;
  generatePasskeyAuthenticationOptions(call: CallOptions): ApiResponse<Options>;
  verifyPasskeyRegistration(
    call: CallOptions & { body: { name: string; response: object } },
  ): ApiResponse<{ id: string }>;
  verifyPasskeyAuthentication(
    call: CallOptions & { body: { response: object } },
  ): ApiResponse<{ user: SignedIn['user'] }>;
}
interface CallOptions {
  readonly headers: Headers;
  readonly returnHeaders: true;
}
type ApiResponse<Response> = Promise<{ readonly headers: Headers; readonly response: Response }>;

/** WebAuthn options in JSON format. */
interface Options {
  readonly challenge: string;
  [field: string]: unknown;
}

export interface PasskeyChallenge {
  readonly options: Options;
  /** The signed id of the challenge. */
  readonly challenge: string;
}

export interface Passkeys {
  beginSignIn(): Promise<PasskeyChallenge>;
  /** Returns undefined for an unknown key, a wrong signature or an expired challenge, without revealing which. */
  signIn(challenge: string, credential: object): Promise<SignedIn | undefined>;
  begin(cookie: string): Promise<PasskeyChallenge>;
  /** Returns the passkey id; undefined when the credential does not match the challenge. */
  add(cookie: string, challenge: string, name: string, credential: object): Promise<string | undefined>;
}

/** better-auth passes the challenge in this cookie. The API passes it in the body instead, and rebuilds the cookie. */
const challengeCookie = `better-auth.${passkeyChallengeCookie}`;

/** Browsers bind passkeys to a host name and require a secure origin. */
export function canHavePasskeys(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && (protocol === 'https:' || hostname === 'localhost');
}

export function createPasskeys(auth: () => Promise<Auth>, sessionCookieName: string, baseUrl: string): Passkeys {
  const getApi = async () => {
    if (!canHavePasskeys(baseUrl))
      refuse('invalid_state', 'Passkeys need a service that is reached over HTTPS and by a name (BASE_URL).');
    return (await auth()).api as unknown as Endpoints;
  };
  const toCall = (cookie: string): CallOptions => ({ headers: new Headers({ cookie }), returnHeaders: true });
  const toChallenge = async (apiResponse: ApiResponse<Options>): Promise<PasskeyChallenge> => {
    const { headers, response: options } = await apiResponse;
    return { options, challenge: cookieIn(headers, challengeCookie)?.value ?? '' };
  };
  return {
    beginSignIn: async () => toChallenge((await getApi()).generatePasskeyAuthenticationOptions(toCall(''))),
    async signIn(challenge, response) {
      const call = { ...toCall(`${challengeCookie}=${challenge}`), body: { response } };
      const result = await undefinedIfRejected((await getApi()).verifyPasskeyAuthentication(call));
      if (!result) return undefined;
      const { id, name, email } = result.response.user;
      return { user: { id, name, email }, setCookie: cookieIn(result.headers, sessionCookieName)?.line ?? '' };
    },
    async begin(cookie) {
      const options = await undefinedIfRejected((await getApi()).generatePasskeyRegistrationOptions(toCall(cookie)));
      return options
        ? toChallenge(Promise.resolve(options))
        : refuse('invalid_state', 'This session cannot add a passkey. Sign in again, then add it.');
    },
    async add(cookie, challenge, name, response) {
      const call = { ...toCall(`${cookie}; ${challengeCookie}=${challenge}`), body: { name, response } };
      return (await undefinedIfRejected((await getApi()).verifyPasskeyRegistration(call)))?.response.id;
    },
  };
}

/** Returns undefined when the plugin rejects the browser's input. For registrations it reports that as an internal error. */
async function undefinedIfRejected<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    const { code } = ((error as { body?: object }).body ?? {}) as { code?: string };
    if (isAuthRefusal(error) || code === 'FAILED_TO_VERIFY_REGISTRATION') return undefined;
    throw error;
  }
}

import { refuse } from '@tributary/operations';
import { type Auth, type AuthRefusal, isAuthRefusal } from './auth.ts';

export interface SignedIn {
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly setCookie: string;
}

/** The endpoints of better-auth's plugin. Its own types are lost, because some plugins are loaded conditionally. */
interface Endpoints {
  enableTwoFactor(
    call: CallOptions<{ password: string; method: 'totp' }>,
  ): ApiResponse<{ totpURI: string; backupCodes: string[] }>;
  disableTwoFactor(call: CallOptions<{ password: string }>): ApiResponse<object>;
  verifyTOTP(call: CallOptions<{ code: string }>): ApiResponse<{ user: SignedIn['user'] }>;
  verifyBackupCode(call: CallOptions<{ code: string }>): ApiResponse<{ user: SignedIn['user'] }>;
}
interface CallOptions<Body> {
  readonly body: Body;
  readonly headers: Headers;
  readonly returnHeaders: true;
}
type ApiResponse<Response> = Promise<{ readonly headers: Headers; readonly response: Response }>;

/** better-auth passes the challenge in this cookie. The API passes it in the body instead, and rebuilds the cookie. */
const challengeCookie = 'better-auth.two_factor';

export interface SecondFactor {
  /** The challenge, if the password was correct and a code is required. */
  challengeOf(headers: Headers): string | undefined;
  /** Returns undefined for a wrong code or an expired challenge, without revealing which. */
  complete(challenge: string, code: string): Promise<SignedIn | undefined>;
  begin(cookie: string, password: string): Promise<{ otpauthUrl: string; recoveryCodes: readonly string[] }>;
  /** Returns the cookie of the session that replaces this one; undefined when the code is wrong. */
  confirm(cookie: string, code: string): Promise<string | undefined>;
  disable(cookie: string, password: string): Promise<string>;
}

export function secondFactor(auth: () => Promise<Auth>, sessionCookieName: string): SecondFactor {
  const getApi = async () => (await auth()).api as unknown as Endpoints;
  const toCall = <Body>(cookie: string, body: Body): CallOptions<Body> => ({
    body,
    headers: new Headers({ cookie }),
    returnHeaders: true,
  });
  const sessionIn = (headers: Headers) => cookieIn(headers, sessionCookieName)?.line ?? '';
  return {
    challengeOf: (headers) => cookieIn(headers, challengeCookie)?.value,
    async complete(challenge, code) {
      const api = await getApi();
      const call = toCall(`${challengeCookie}=${challenge}`, { code });
      const result = await undefinedIfRejected(isTotp(code) ? api.verifyTOTP(call) : api.verifyBackupCode(call));
      if (!result) return undefined;
      const { id, name, email } = result.response.user;
      return { user: { id, name, email }, setCookie: sessionIn(result.headers) };
    },
    async begin(cookie, password) {
      const { response } = await (await getApi())
        .enableTwoFactor(toCall(cookie, { password, method: 'totp' }))
        .catch(refuseState('There is a second factor already. Give it up first.'));
      return { otpauthUrl: response.totpURI, recoveryCodes: response.backupCodes };
    },
    async confirm(cookie, code) {
      const result = await undefinedIfRejected((await getApi()).verifyTOTP(toCall(cookie, { code }))).catch(
        refuseState('No second factor was begun. Begin with POST /account/two-factor.'),
      );
      return result && sessionIn(result.headers);
    },
    async disable(cookie, password) {
      const { headers } = await (await getApi())
        .disableTwoFactor(toCall(cookie, { password }))
        .catch(refuseState('There is no second factor to give up.'));
      return sessionIn(headers);
    },
  };
}

const isTotp = (code: string) => /^\d{6}$/.test(code);

/** Returns undefined for a wrong code, an expired or used challenge and a locked account, so that callers cannot tell them apart. */
async function undefinedIfRejected<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
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

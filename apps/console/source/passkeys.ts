import { accountClient } from './client.ts';

/** Whether this browser can create a passkey here: WebAuthn requires a host name and a secure context. */
export const canUsePasskeys = (): boolean =>
  window.isSecureContext &&
  typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function' &&
  !/^[\d.]+$|:/.test(window.location.hostname);

export async function addPasskey(name: string, password: string): Promise<void> {
  const { options, challenge } = (await accountClient.beginPasskey({ body: { current_password: password } })).data;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = await navigator.credentials.create({ publicKey });
  const credential = asJson(made);
  await accountClient.createPasskey({ body: { challenge, name, credential } });
}

export async function signInWithPasskey(): Promise<void> {
  const { options, challenge } = (await accountClient.beginPasskeySignIn({})).data;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = asJson(await navigator.credentials.get({ publicKey }));
  await accountClient.signInWithPasskey({ body: { challenge, credential } });
}

/** The shape is defined by WebAuthn and validated by the server. */
const asJson = (credential: Credential | null): never => (credential as PublicKeyCredential).toJSON() as never;

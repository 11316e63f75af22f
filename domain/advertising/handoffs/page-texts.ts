import type { BounceStatus, HandoffReason } from '@tributary/vocabulary';

/** The texts of the hand-off pages, by language. */
export const pageLanguages = ['en', 'es'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

interface PageTexts {
  /** Used if the provider is not configured and has no name. */
  readonly someProvider: string;
  title(provider: string): string;
  asks(provider: string, profile: string): string;
  readonly what: string;
  goOn(provider: string): string;
  readonly until: string;
  returns(host: string): string;
  readonly back: string;
  readonly unknown: { readonly title: string; readonly text: string };
  readonly endings: Readonly<Record<BounceStatus, string>>;
  readonly reasons: Readonly<Record<HandoffReason, string>>;
}

const en: PageTexts = {
  someProvider: 'your account',
  title: (provider) => `Connect ${provider}`,
  asks: (provider, profile) => `${profile} asks you to connect ${provider}.`,
  what: 'You sign in at the provider and decide there what to share. Your password stays with them, and you can take it back at any time. You need no account here.',
  goOn: (provider) => `Continue to ${provider}`,
  until: 'This link works once, until',
  returns: (host) => `Afterwards you are taken to ${host}.`,
  back: 'Go back',
  unknown: {
    title: 'This link leads nowhere',
    text: 'It may have been cut off or mistyped. Ask whoever sent it for a new one.',
  },
  endings: {
    success: 'It is connected. You can close this page.',
    pending_selection:
      'Several accounts were found. Whoever sent you the link now chooses one. You can close this page.',
    failed: 'It could not be connected',
    cancelled: 'Nothing was connected',
  },
  reasons: {
    user_cancelled: 'You said no at the provider, and nothing was shared. For another try, ask for a new link.',
    provider_denied: 'The provider turned the request down. Whoever sent you the link has to look into it.',
    provider_error: 'The provider had a problem. Ask for a new link and try again later.',
    token_exchange_failed: 'The provider did not confirm your consent. Ask for a new link and try again.',
    account_connected_elsewhere:
      'This account is connected to another profile of the same workspace. It has to be disconnected there first.',
    no_candidates:
      'You consented, but there is no account that could be connected. Try with another sign-in at the provider.',
    connect_failed: 'The connection could not be stored. Ask for a new link and try again.',
    internal_error: 'Something went wrong on our side, and nothing was stored. Open the same link again.',
    state_expired:
      'The consent page stood open for too long. Open the link again; if it says that it was used, ask for a new one.',
    state_invalid:
      'You came back in another browser than the one you began in. Open the link again, and stay in one browser.',
    handoff_expired: 'The link is too old. Ask for a new one.',
    handoff_used: 'The link was used already. Ask for a new one.',
    provider_not_configured: 'This provider is not set up here. Whoever sent you the link has to look into it.',
    origin_not_allowed: 'The page that you would be taken back to is not allowed any more, so nothing was connected.',
  },
};

const es: PageTexts = {
  someProvider: 'tu cuenta',
  title: (provider) => `Conectar ${provider}`,
  asks: (provider, profile) => `${profile} te pide conectar ${provider}.`,
  what: 'Inicias sesión en el proveedor y decides allí qué compartir. Tu contraseña queda con ellos y puedes retirar el permiso cuando quieras. Aquí no necesitas una cuenta.',
  goOn: (provider) => `Continuar a ${provider}`,
  until: 'Este enlace sirve una vez, hasta',
  returns: (host) => `Después volverás a ${host}.`,
  back: 'Volver',
  unknown: {
    title: 'Este enlace no lleva a ninguna parte',
    text: 'Puede estar cortado o mal escrito. Pide uno nuevo a quien te lo envió.',
  },
  endings: {
    success: 'Quedó conectado. Puedes cerrar esta página.',
    pending_selection:
      'Se encontraron varias cuentas. Quien te envió el enlace elegirá una. Puedes cerrar esta página.',
    failed: 'No se pudo conectar',
    cancelled: 'No se conectó nada',
  },
  reasons: {
    user_cancelled:
      'Dijiste que no en el proveedor y no se compartió nada. Para intentarlo otra vez, pide un enlace nuevo.',
    provider_denied: 'El proveedor rechazó la solicitud. Quien te envió el enlace tiene que revisarlo.',
    provider_error: 'El proveedor tuvo un problema. Pide un enlace nuevo e inténtalo más tarde.',
    token_exchange_failed: 'El proveedor no confirmó tu permiso. Pide un enlace nuevo e inténtalo otra vez.',
    account_connected_elsewhere:
      'Esta cuenta está conectada a otro perfil del mismo espacio de trabajo. Primero hay que desconectarla allí.',
    no_candidates: 'Diste tu permiso, pero no hay ninguna cuenta que conectar. Prueba con otro usuario del proveedor.',
    connect_failed: 'No se pudo guardar la conexión. Pide un enlace nuevo e inténtalo otra vez.',
    internal_error: 'Algo falló de nuestro lado y no se guardó nada. Abre el mismo enlace otra vez.',
    state_expired:
      'La página de permiso estuvo abierta demasiado tiempo. Abre el enlace otra vez; si dice que ya se usó, pide uno nuevo.',
    state_invalid: 'Volviste en otro navegador. Abre el enlace otra vez y quédate en el mismo navegador.',
    handoff_expired: 'El enlace es demasiado antiguo. Pide uno nuevo.',
    handoff_used: 'El enlace ya se usó. Pide uno nuevo.',
    provider_not_configured: 'Este proveedor no está configurado aquí. Quien te envió el enlace tiene que revisarlo.',
    origin_not_allowed: 'La página a la que volverías ya no está permitida, así que no se conectó nada.',
  },
};

export const pageWords: Readonly<Record<PageLanguage, PageTexts>> = { en, es };

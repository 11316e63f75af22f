import { links } from '@tributary/contract';
import { hashSecret, mintSecret } from '@tributary/domain/tenancy/credentials';
import type { Mailer } from '@tributary/outbound';
import { html } from '@tributary/pages';
import type { Postgres } from '@tributary/postgres';
import { type Language, limits, minuteMs } from '@tributary/vocabulary';
import { markResetSent, savePasswordReset } from './password-reset-store.ts';
import { findUserIfAny } from './store.ts';

export interface ResetMailing {
  readonly app: Postgres;
  readonly mailer: Mailer | undefined;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** Creates the reset link, stores its hash and mails it. A retry replaces the link of the previous attempt. */
export async function sendPasswordReset(
  { app, mailer, baseUrl, now }: ResetMailing,
  { userId, language }: { readonly userId: string; readonly language: Language },
): Promise<void> {
  if (!mailer) return;
  const { lifeMinutes, pauseMinutes } = limits.passwordReset;
  const at = now();
  const token = mintSecret('passwordReset');
  const reset = { userId, hash: hashSecret(token), expiresAt: new Date(at.getTime() + lifeMinutes * minuteMs) };
  const email = await app.home.unbound.transaction(async (tx) => {
    const user = await findUserIfAny(tx, userId);
    const pausedSince = new Date(at.getTime() - pauseMinutes * minuteMs);
    return user && (await savePasswordReset(tx, reset, pausedSince)) ? user.email : undefined;
  });
  if (email === undefined) return;
  const host = new URL(baseUrl).hostname;
  const mail = composeResetMail(language, links.passwordReset(baseUrl, token), host);
  await mailer.send({ ...mail, to: email, messageId: `<reset.${userId}.${at.getTime()}@${host}>` });
  await app.home.unbound.transaction((tx) => markResetSent(tx, reset, at));
}

const messages = {
  en: {
    subject: 'Reset your Tributary password',
    intro: (host: string) => `A new password was requested for your account at ${host}.`,
    action: 'Choose a new password',
    life: `The link works once, for ${limits.passwordReset.lifeMinutes} minutes. All your sessions end when you use it.`,
    ignore: 'If you did not request this, ignore this e-mail. Your password stays the same.',
  },
  es: {
    subject: 'Restablece tu contraseña de Tributary',
    intro: (host: string) => `Se ha pedido una contraseña nueva para tu cuenta en ${host}.`,
    action: 'Elegir una contraseña nueva',
    life: `El enlace sirve una vez, durante ${limits.passwordReset.lifeMinutes} minutos. Al usarlo se cierran todas tus sesiones.`,
    ignore: 'Si no lo has pedido tú, ignora este correo. Tu contraseña no cambia.',
  },
} as const satisfies Record<Language, unknown>;

function composeResetMail(language: Language, url: string, host: string) {
  const t = messages[language];
  return {
    subject: t.subject,
    text: [t.intro(host), `${t.action}: ${url}`, t.life, t.ignore].join('\n\n'),
    html: html`<!doctype html><html lang="${language}"><body style="font-family:system-ui,sans-serif;color:#1c1b19;max-width:640px">
<h1 style="font-size:20px;margin:0 0 12px">${t.subject}</h1>
<p>${t.intro(host)}</p>
<p style="margin:24px 0"><a href="${url}">${t.action}</a></p>
<p>${t.life}</p>
<p style="font-size:12px;color:#5f5c57">${t.ignore}</p>
</body></html>`.text,
  };
}

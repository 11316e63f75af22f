import type { AlertKind, AlertMoment, Language } from '@tributary/vocabulary';

interface AlertText {
  readonly title: string;
  readonly what: string;
  /** Recommended steps, if any. */
  readonly todo: readonly string[];
}

type AlertTextOf = (
  since: string,
  ended: string,
  after: { readonly hours: number; readonly minutes: number },
) => AlertText;

/** The texts of alert mails in each language. */
export interface Words {
  readonly locale: string;
  readonly kinds: Readonly<Record<AlertKind, Readonly<Record<AlertMoment, AlertTextOf>>>>;
  readonly open: string;
  readonly why: (profile: string) => string;
  readonly stop: string;
}

const en: Words = {
  locale: 'en',
  kinds: {
    tracker_silent: {
      opened: (since, _ended, { hours }) => ({
        title: 'no visits are arriving',
        what: `No visit has come for ${hours} hours. The last one came at about ${since}. Sales made meanwhile may not be credited to the ads that led to them.`,
        todo: [
          'Look whether the tracker is still on the site: a new theme, a tag manager or a consent banner often takes it away. Set-up in the console has the tag and a check that notices it.',
          'If the site is gone for good, revoke its tracking key and this ends.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'visits are arriving again',
        what: `The tracker was silent since about ${since}. That was over at ${ended}. Visits that were not sent meanwhile are not made up for.`,
        todo: [],
      }),
    },
    figures_late: {
      opened: (since, _ended, { minutes }) => ({
        title: 'figures are late',
        what: `What was recorded at ${since} is not in reports yet; usually it takes seconds, and this is told after ${minutes} minutes. Nothing is lost.`,
        todo: [
          'There is nothing to send again. Wait before you decide on the latest days; whoever operates the server has alerts of their own.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'figures are up to date again',
        what: `Reports were behind since ${since}. Since ${ended} they show everything that was recorded.`,
        todo: [],
      }),
    },
    sync_failing: {
      opened: (since) => ({
        title: 'a connected account cannot be read',
        what: `Every sync of a connected account has failed since ${since}. Its latest ads, deals or payments are missing from reports.`,
        todo: [
          'Open Connections in the console: it names the account, the cause and what to do. Syncs are retried automatically.',
          'If the account asks for a new consent, connect it again. If you no longer need it, disconnect it and this alert ends.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'all connected accounts are read again',
        what: `A sync failed from ${since} until ${ended}. What happened in the meantime has been read.`,
        todo: [],
      }),
    },
    duplicates_found: {
      opened: (since) => ({
        title: 'two sources report the same payments',
        what: `Since ${since} payments of one source match payments of another. Each sale is counted once, so revenue does not include them twice.`,
        todo: [
          'Payment matches in the console lists the records that are the same sale. Decide whether the two sources are counted once or both.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'payments of two sources are decided',
        what: `Payments of two sources matched since ${since}. Since ${ended} there is nothing left to decide.`,
        todo: [],
      }),
    },
  },
  open: 'Open in the console',
  why: (profile) => `You get this because you are to be told when something is wrong with the data of ${profile}.`,
  stop: 'Get it no longer',
};

const es: Words = {
  locale: 'es',
  kinds: {
    tracker_silent: {
      opened: (since, _ended, { hours }) => ({
        title: 'no llegan visitas',
        what: `No ha llegado ninguna visita en ${hours} horas. La última llegó hacia el ${since}. Puede que las ventas hechas entretanto no se atribuyan a los anuncios que llevaron a ellas.`,
        todo: [
          'Comprueba si el código sigue en el sitio: una plantilla nueva, un gestor de etiquetas o un aviso de consentimiento suelen quitarlo. En la consola, en Puesta en marcha, están la etiqueta y una comprobación que la detecta.',
          'Si el sitio ya no existe, revoca su clave de medición y esto termina.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'vuelven a llegar visitas',
        what: `No llegaban visitas desde el ${since}, aproximadamente. Eso terminó el ${ended}. Las visitas que no se enviaron entretanto no se recuperan.`,
        todo: [],
      }),
    },
    figures_late: {
      opened: (since, _ended, { minutes }) => ({
        title: 'las cifras van con retraso',
        what: `Lo registrado el ${since} todavía no está en los informes; normalmente tarda segundos, y esto se avisa a los ${minutes} minutos. No se pierde nada.`,
        todo: [
          'No hay nada que enviar otra vez. Espera antes de decidir sobre los últimos días; quien opera el servidor tiene sus propios avisos.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'las cifras vuelven a estar al día',
        what: `Los informes iban con retraso desde el ${since}. Desde el ${ended} muestran todo lo registrado.`,
        todo: [],
      }),
    },
    sync_failing: {
      opened: (since) => ({
        title: 'no se puede leer una cuenta conectada',
        what: `Todas las sincronizaciones de una cuenta conectada fallan desde el ${since}. Sus últimos anuncios, negocios o pagos faltan en los informes.`,
        todo: [
          'Abre Conexiones en la consola: indica la cuenta, la causa y qué hacer. Las sincronizaciones se reintentan automáticamente.',
          'Si la cuenta pide un nuevo consentimiento, conéctala otra vez. Si ya no la necesitas, desconéctala y este aviso termina.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'todas las cuentas conectadas se leen de nuevo',
        what: `Una sincronización falló desde el ${since} hasta el ${ended}. Lo ocurrido entretanto ya se ha leído.`,
        todo: [],
      }),
    },
    duplicates_found: {
      opened: (since) => ({
        title: 'dos fuentes informan los mismos pagos',
        what: `Desde el ${since} los pagos de una fuente coinciden con los de otra. Cada venta se cuenta una vez, así que los ingresos no los incluyen dos veces.`,
        todo: [
          'En la consola, Pagos coincidentes muestra los registros que son la misma venta. Decide si las dos fuentes se cuentan una vez o ambas.',
        ],
      }),
      ended: (since, ended) => ({
        title: 'los pagos de dos fuentes están decididos',
        what: `Los pagos de dos fuentes coincidían desde el ${since}. Desde el ${ended} no queda nada por decidir.`,
        todo: [],
      }),
    },
  },
  open: 'Abrir en la consola',
  why: (profile) => `Recibes esto porque se te avisa cuando algo va mal con los datos de ${profile}.`,
  stop: 'No recibirlo más',
};

export const words: Readonly<Record<Language, Words>> = { en, es };

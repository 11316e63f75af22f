import type { StageOutcome } from '@tributary/vocabulary';

/**
 * Suggests the outcome of a CRM stage by its name, in Spanish and English. The furthest stage in the name wins:
 * "quote after appointment" is a quote. An unknown name gives no suggestion.
 */
const words: readonly (readonly [StageOutcome, RegExp])[] = [
  ['ignored', /\b(spam|test|prueba|duplicad[oa]s?|duplicates?|descartad[oa]s?|no califica|unqualified|disqualified)\b/],
  [
    'closed_won',
    /\b(won|closed won|sold|ganad[oa]s?|vendid[oa]s?|venta cerrada|cierre ganado|cliente|customer|sale)\b/,
  ],
  [
    'quote_sent',
    /\b(quote[ds]?|quotation|proposal|estimate|presupuestos?|cotizacion(es)?|cotizad[oa]s?|propuestas?)\b/,
  ],
  [
    'appointment_booked',
    /\b(appointments?|booked|booking|scheduled?|meetings?|demo|visit|citas?|agend(a|ad[oa]s?|amiento)|reservas?|reservad[oa]s?|reunion(es)?|visitas?|horas? tomadas?)\b/,
  ],
  [
    'messaging_started',
    /\b(chat|chatting|whatsapp|messenger|dm|conversation|conversacion(es)?|mensajes?|respondio|replied|contactad[oa]s?|contacted)\b/,
  ],
  [
    'lead_created',
    /\b(leads?|new|prospects?|enquiry|inquiry|interested|nuev[oa]s?|prospectos?|interesad[oa]s?|oportunidad(es)?|consultas?|ingres(o|ad[oa]s?)|registrad[oa]s?)\b/,
  ],
];

export function suggestStage(name: string): StageOutcome | null {
  const plain = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ');
  return words.find(([, pattern]) => pattern.test(plain))?.[0] ?? null;
}

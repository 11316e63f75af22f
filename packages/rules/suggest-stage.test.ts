import { expect, test } from 'vitest';
import { suggestStage } from './suggest-stage.ts';

test.each([
  ['New Lead', 'lead_created'],
  ['Nuevo prospecto', 'lead_created'],
  ['Contactado por WhatsApp', 'messaging_started'],
  ['Appointment booked', 'appointment_booked'],
  ['Cita agendada', 'appointment_booked'],
  ['Reunión', 'appointment_booked'],
  ['Cotización enviada', 'quote_sent'],
  ['Proposal sent', 'quote_sent'],
  ['Presupuesto tras la cita', 'quote_sent'],
  ['GANADO', 'closed_won'],
  ['Closed - Won', 'closed_won'],
  ['Spam / duplicado', 'ignored'],
  ['Etapa 3', null],
  ['Newsletter', null],
  ['', null],
])('the stage "%s" suggests %s', (name, suggested) => {
  expect(suggestStage(name)).toBe(suggested);
});

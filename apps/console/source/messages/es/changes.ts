import type { changes as english } from '../en/changes.ts';

export const changes: typeof english = {
  changedConversions: (count, isMoney) =>
    `${count} ${isMoney ? (count === 1 ? 'pago' : 'pagos') : count === 1 ? 'conversión' : 'conversiones'}`,
  causeSentences: {
    outcome_recorded: (them, count) => (count === 1 ? `${them} se registró después` : `${them} se registraron después`),
    refund: (them, count) => (count === 1 ? `${them} se reembolsó` : `${them} se reembolsaron`),
    merge: (them, count) => `${them} de clientes fusionados: ${count === 1 ? 'atribuido' : 'atribuidos'} de nuevo`,
    split: (them, count) => `${them}: ${count === 1 ? 'atribuido' : 'atribuidos'} de nuevo al deshacer una fusión`,
    match: (them, count) =>
      `${them}: ${count === 1 ? 'unido' : 'unidos'} a otro registro de la misma venta, o ${count === 1 ? 'contado' : 'contados'} de nuevo por separado`,
    late_visit: (them, count) => `${them} ${count === 1 ? 'tiene' : 'tienen'} visitas que llegaron tarde`,
    replay: (them, count) => (count === 1 ? `${them} se atribuyó de nuevo` : `${them} se atribuyeron de nuevo`),
  },
};

import type { Sale } from '../sales.ts';

export interface HighlevelDeal {
  readonly id: string;
  readonly locationId: string;
  readonly name: string;
  monetaryValue: number | null;
  pipelineId: string;
  pipelineStageId: string;
  status: 'open' | 'won' | 'lost' | 'abandoned';
  contact: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly phone: string | null;
  } | null;
  readonly createdAt: string;
  updatedAt: string;
  lastStageChangeAt: string;
  lastStatusChangeAt: string;
}

export const companyId = 'sandboxCompany';
export const locations = [
  { id: 'locSantiago', name: 'Tienda Santiago' },
  { id: 'locLima', name: 'Tienda Lima' },
] as const;

const stagesOf = (pipeline: string, names: readonly string[]) =>
  names.map((name, position) => ({ id: `${pipeline}-${position}`, name, position }));

export const pipelinesOf = (locationId: string) => [
  {
    id: `${locationId}-ventas`,
    name: 'Ventas',
    locationId,
    showInFunnel: true,
    showInPieChart: true,
    stages: stagesOf(`${locationId}-ventas`, [
      'Nuevo lead',
      'Por llamar',
      'Cita agendada',
      'Presupuesto enviado',
      'Ganado',
    ]),
  },
  {
    id: `${locationId}-servicios`,
    name: 'Servicios',
    locationId,
    showInFunnel: true,
    showInPieChart: true,
    stages: stagesOf(`${locationId}-servicios`, ['Nuevo lead', 'Cita agendada', 'Esperando repuesto']),
  },
];

/** The statuses of deals by index: most are still open. */
const endings = ['open', 'won', 'open', 'lost', 'open', 'abandoned', 'open'] as const;

/** Each lead of the market is a deal. One in nine has no contact, and one in five no value. */
export function dealsOf(sales: readonly Sale[]): HighlevelDeal[] {
  return sales
    .filter(({ outcome }) => outcome.eventName === 'lead_created')
    .map(({ outcome, customer }, place): HighlevelDeal => {
      const location = locations[place % locations.length] as (typeof locations)[number];
      const [pipeline] = pipelinesOf(location.id);
      const stage = pipeline?.stages[place % pipeline.stages.length];
      const at = (days: number) => new Date(outcome.at + days * 86_400_000).toISOString();
      return {
        id: `opp${String(place).padStart(6, '0')}`,
        locationId: location.id,
        name: `Deal ${place}`,
        monetaryValue: place % 5 === 4 ? null : 1_000 + place * 10.5,
        pipelineId: pipeline?.id ?? '',
        pipelineStageId: stage?.id ?? '',
        status: endings[place % endings.length] ?? 'open',
        contact:
          place % 9 === 4
            ? null
            : {
                id: `contact-${customer.externalId}`,
                name: `${customer.firstName} ${customer.lastName}`,
                email: customer.email,
                phone: customer.phone,
              },
        createdAt: at(0),
        updatedAt: at(0.002),
        lastStageChangeAt: at(0.001),
        lastStatusChangeAt: at(0.002),
      };
    });
}

export function newDeal(
  of: Pick<HighlevelDeal, 'locationId' | 'monetaryValue' | 'contact'>,
  number: number,
  now: Date,
): HighlevelDeal {
  const [pipeline] = pipelinesOf(of.locationId);
  const at = now.toISOString();
  return {
    ...of,
    id: `new${String(number).padStart(6, '0')}`,
    name: `New deal ${number}`,
    pipelineId: pipeline?.id ?? '',
    pipelineStageId: pipeline?.stages[0]?.id ?? '',
    status: 'open',
    createdAt: at,
    updatedAt: at,
    lastStageChangeAt: at,
    lastStatusChangeAt: at,
  };
}

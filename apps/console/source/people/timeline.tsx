import { type EventStore, visitTypes } from '@tributary/vocabulary';
import { channelTitle, moment, money, words } from '../format.ts';
import { Empty } from '../parts/states.tsx';
import type { JourneyEvent } from '../queries.ts';
import { say } from '../words/index.ts';

/** What browsers and ads told of; everything else is an outcome. */
const visits: readonly string[] = [...visitTypes, 'visit'];
const touches: readonly string[] = ['ad_referral', 'declared_source'];

const kindOf = ({ event_type: type }: JourneyEvent): EventStore =>
  visits.includes(type) ? 'visit' : touches.includes(type) ? 'touch' : 'outcome';

const dots = {
  visit: 'border-2 border-other bg-paper',
  touch: 'border-2 border-accent bg-paper',
  outcome: 'bg-accent',
} as const;

/** What happened, in the order of time: visits, touches, and what they led to. */
export function Timeline({
  events,
  timeZone,
}: {
  readonly events: readonly JourneyEvent[];
  readonly timeZone: string;
}) {
  if (events.length === 0) return <Empty title={say.people.nothingHappened} />;
  return (
    <ol aria-label={say.people.journey} className="card px-5 py-3">
      {numbered(events).map(({ place, event }) => (
        <Step key={place} event={event} timeZone={timeZone} />
      ))}
    </ol>
  );
}

/** Events have no ids, and two may be alike; a journey only grows at its end, so their places stay. */
const numbered = (events: readonly JourneyEvent[]) => events.map((event, place) => ({ place, event }));

function Step({ event, timeZone }: { readonly event: JourneyEvent; readonly timeZone: string }) {
  const kind = kindOf(event);
  const facts = factsOf(event);
  return (
    <li data-kind={kind} className="relative ml-1 border-line border-l pb-4 pl-5 last:border-transparent last:pb-1">
      <span aria-hidden="true" className={`absolute top-1.5 -left-[6.5px] size-3 rounded-full ${dots[kind]}`} />
      <div className="flex items-baseline justify-between gap-4">
        <span className={kind === 'outcome' ? 'font-semibold' : ''}>
          {titleOf(event)}
          {event.is_synthetic && event.channel !== null && <Synthetic />}
        </span>
        {event.value_amount !== null && event.currency && (
          <span className="number font-semibold">{money(event.value_amount, event.currency)}</span>
        )}
      </div>
      <p className="label">
        {moment(event.event_time, timeZone)}
        {facts && ` · ${facts}`}
      </p>
      {event.url && <p className="label break-all">{event.url}</p>}
    </li>
  );
}

/** A conversion without a visit, which stands for the touch that brought it. */
export function Synthetic() {
  return (
    <span
      className="ml-2 rounded bg-tint px-1.5 py-0.5 font-normal text-small text-soft"
      title={say.people.syntheticAbout}
    >
      {say.people.synthetic}
    </span>
  );
}

function titleOf({ event_type: type, event_name: name, path }: JourneyEvent): string {
  if (type === 'page_view') return path ? say.people.pageAt(path) : say.common.page;
  return name === type ? words(type) : `${words(type)}: ${name}`;
}

function factsOf(event: JourneyEvent): string {
  const { channel, source, medium, campaign, device, browser, os, city, country } = event;
  const came = [channel && channelTitle(channel), source, medium, campaign].filter(Boolean);
  const by = [device && words(device), browser, os].filter(Boolean);
  const where = [city, country].filter(Boolean).join(', ');
  return [...came, ...by, where].filter(Boolean).join(' · ');
}

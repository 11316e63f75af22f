import { type EventStore, visitTypes } from '@tributary/vocabulary';
import { channelTitle, clock, dayIn, longDay, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Empty } from '../parts/states.tsx';
import type { JourneyEvent } from '../queries.ts';

/** Events of browsers and ads; all other events are outcomes. */
const visits: readonly string[] = [...visitTypes, 'visit'];
const touches: readonly string[] = ['ad_referral', 'declared_source'];

const kindOf = ({ event_type: type }: JourneyEvent): EventStore =>
  visits.includes(type) ? 'visit' : touches.includes(type) ? 'touch' : 'outcome';

const dots = {
  visit: 'border-2 border-other bg-paper',
  touch: 'border-2 border-accent bg-paper',
  outcome: 'bg-accent',
} as const;

/** After half an hour without a page view, the next one starts a new session. */
const sessionEndsMs = 30 * 60_000;

/** The timeline in chronological order by day: visits, touches and conversions. */
export function Timeline({
  events,
  timeZone,
}: {
  readonly events: readonly JourneyEvent[];
  readonly timeZone: string;
}) {
  if (events.length === 0) return <Empty title={t.people.nothingHappened} />;
  return (
    <ol aria-label={t.people.journey} className="card px-5 py-3">
      {withPositions(events, timeZone).map((step) => (
        <Step key={step.position} step={step} timeZone={timeZone} />
      ))}
    </ol>
  );
}

interface PositionedEvent {
  /** Events have no ids and two may be equal. A journey only grows at its end, so positions are stable keys. */
  readonly position: number;
  readonly event: JourneyEvent;
  readonly kind: EventStore;
  /** Set only on the first event of a day. */
  readonly day: string | undefined;
  /** A further page of the same session: its source is shown on the session's first page. */
  readonly isFurtherPage: boolean;
}

function withPositions(events: readonly JourneyEvent[], timeZone: string): readonly PositionedEvent[] {
  return events.map((event, position) => {
    const before = events[position - 1];
    const day = dayIn(event.event_time, timeZone);
    const isNewDay = !before || dayIn(before.event_time, timeZone) !== day;
    const kind = kindOf(event);
    return {
      position,
      event,
      kind,
      day: isNewDay ? day : undefined,
      isFurtherPage: !isNewDay && isOneVisit(before, event),
    };
  });
}

const isOneVisit = (before: JourneyEvent, event: JourneyEvent): boolean =>
  kindOf(before) === 'visit' &&
  kindOf(event) === 'visit' &&
  Date.parse(event.event_time) - Date.parse(before.event_time) < sessionEndsMs &&
  factsOf(before) === factsOf(event);

function Step({ step, timeZone }: { readonly step: PositionedEvent; readonly timeZone: string }) {
  const { event, kind, day, isFurtherPage } = step;
  const facts = isFurtherPage ? '' : factsOf(event);
  return (
    <li data-kind={kind} className="relative ml-1 border-line border-l pb-4 pl-5 last:border-transparent last:pb-1">
      {day && <h3 className="-ml-6 bg-paper pb-2 text-small text-soft">{longDay(day)}</h3>}
      <div className="relative flex items-baseline justify-between gap-4">
        <span aria-hidden="true" className={`absolute top-1.5 -left-[26.5px] size-3 rounded-full ${dots[kind]}`} />
        <span className={kind === 'outcome' ? 'font-semibold' : ''}>
          {titleOf(event)}
          {event.is_synthetic && event.channel !== null && <Synthetic />}
        </span>
        {event.value_amount !== null && event.currency && (
          <span className="number font-semibold">{money(event.value_amount, event.currency)}</span>
        )}
      </div>
      <p className="label">
        <time dateTime={event.event_time}>{clock(event.event_time, timeZone)}</time>
        {facts && ` · ${facts}`}
      </p>
      {event.url && <p className="label break-all">{event.url}</p>}
    </li>
  );
}

/** A conversion without a visit, shown in place of the touch that led to it. */
export function Synthetic() {
  return (
    <span
      className="ml-2 rounded bg-tint px-1.5 py-0.5 font-normal text-small text-soft"
      title={t.people.syntheticAbout}
    >
      {t.people.synthetic}
    </span>
  );
}

function titleOf({ event_type: type, event_name: name, path }: JourneyEvent): string {
  if (type === 'page_view') return path ? t.people.pageAt(path) : t.common.page;
  return name === type ? words(type) : `${words(type)}: ${name}`;
}

function factsOf(event: JourneyEvent): string {
  const { channel, source, medium, campaign, device, browser, os, city, country } = event;
  const came = [channel && channelTitle(channel), source && (t.names[source] ?? source), medium, campaign].filter(
    Boolean,
  );
  const by = [device && words(device), browser, os].filter(Boolean);
  const where = [city, country].filter(Boolean).join(', ');
  return [...came, ...by, where].filter(Boolean).join(' · ');
}

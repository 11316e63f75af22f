import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Channel } from '@tributary/vocabulary';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { type Connection, connectionsQuery, definitionsQuery, type GoalDefinition } from '../data/queries.ts';
import { words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Failed, State } from '../parts/page.tsx';
import { Loading, Problem, QueryResult } from '../parts/states.tsx';
import { limits } from '../vocabulary.ts';
import { type ExportTarget, exportCatalogQuery, pixelsQuery, saveExportTarget } from './queries.ts';

/** For each connected ad account: which conversions it receives, and under which names. */
export function ExportTargets({ profileId }: { readonly profileId: string }) {
  const connections = useQuery(connectionsQuery(profileId));
  const definitions = useQuery(definitionsQuery(profileId));
  const catalog = useQuery(exportCatalogQuery(profileId));
  const failed = connections.error ?? definitions.error ?? catalog.error;
  if (failed) return <Problem error={failed} />;
  if (!connections.data || !definitions.data || !catalog.data) return <Loading lines={3} />;
  const accounts = connections.data.filter(
    ({ channel, status }) => channel.endsWith('_ads') && status !== 'disconnected',
  );
  const targets = catalog.data.exports;
  return (
    <section aria-labelledby="targets">
      <h2 id="targets" className="mb-3">
        {t.exports.targets}
      </h2>
      {accounts.length === 0 ? (
        <p className="text-soft">{t.exports.connectFirst}</p>
      ) : (
        <ul className="grid gap-3">
          {accounts.map((account) => (
            <li key={account.id} className="card p-5">
              <Target
                profileId={profileId}
                account={account}
                definitions={definitions.data}
                targets={targets}
                target={targets.find(({ connection_id: id }) => id === account.id)}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface TargetProps {
  readonly profileId: string;
  readonly account: Connection;
  readonly definitions: readonly GoalDefinition[];
  readonly targets: readonly ExportTarget[];
  readonly target: ExportTarget | undefined;
}

function Target({ target, targets, ...props }: TargetProps) {
  const { channel, account } = props.account;
  const { may } = useMembership();
  const [isOpen, setOpen] = useState(false);
  const names = Object.values(target?.events ?? {});
  const title = `${words(channel)}, ${account.name}`;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h3 className="flex flex-wrap items-center gap-2 font-semibold">
            {title}{' '}
            <State tone={target?.is_enabled ? 'good' : 'plain'}>
              {target?.is_enabled ? t.exports.on : t.exports.off}
            </State>
          </h3>
          <p className="label">{names.length > 0 ? names.join(', ') : t.exports.receivesNothing}</p>
        </div>
        {may('exports:write') && (
          <button
            type="button"
            className="button"
            aria-expanded={isOpen}
            aria-label={t.exports.setUpOf(title)}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? t.common.close : t.exports.setUp}
          </button>
        )}
      </div>
      {isOpen && <TargetForm {...props} target={target} targets={targets} onSaved={() => setOpen(false)} />}
    </div>
  );
}

/** The platforms' own names of common conversions. */
const usualNames: Partial<Record<Channel, Readonly<Record<string, string>>>> = {
  social_ads: {
    payment_received: 'Purchase',
    order_placed: 'Purchase',
    lead_created: 'Lead',
    appointment_booked: 'Schedule',
    messaging_started: 'Contact',
  },
};

function TargetForm({
  profileId,
  account: { id, channel },
  definitions,
  targets,
  target,
  onSaved,
}: TargetProps & { readonly onSaved: () => void }) {
  const queryClient = useQueryClient();
  const [dataset, setDataset] = useState(target?.dataset ?? '');
  const [events, setEvents] = useState<Readonly<Record<string, string>>>(target?.events ?? {});
  const [minutes, setMinutes] = useState(String(target?.every_minutes ?? limits.exportMinutes.default));
  const [isEnabled, setEnabled] = useState(target?.is_enabled ?? true);
  const save = useMutation({
    mutationFn: () =>
      saveExportTarget(clientFor(profileId), targets, {
        connection_id: id,
        dataset: dataset.trim(),
        messaging: target?.messaging ?? null,
        events: Object.fromEntries(Object.entries(events).filter(([, name]) => name.trim() !== '')),
        every_minutes: Number(minutes),
        is_enabled: isEnabled,
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(exportCatalogQuery(profileId));
      onSaved();
    },
  });
  return (
    <form
      className="grid max-w-xl gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {channel === 'social_ads' ? (
        <PixelField profileId={profileId} connectionId={id} value={dataset} onChange={setDataset} />
      ) : (
        <Labelled title={t.exports.conversionAction} about={t.exports.conversionActionAbout}>
          {(field) => (
            <input
              id={field}
              className="field"
              required
              pattern="[\w\-]{1,64}"
              autoComplete="off"
              value={dataset}
              onChange={({ target: { value } }) => setDataset(value)}
            />
          )}
        </Labelled>
      )}
      <fieldset className="grid gap-2">
        <legend className="label mb-1">{t.exports.namesAbout}</legend>
        {definitions.map(({ conversion_key: key, name }) => (
          <Labelled key={key} title={name}>
            {(field) => (
              <span className="flex flex-wrap gap-2">
                <input
                  id={field}
                  className="field flex-1"
                  maxLength={50}
                  autoComplete="off"
                  placeholder={t.exports.notSent}
                  value={events[key] ?? ''}
                  onChange={({ target: { value } }) => setEvents({ ...events, [key]: value })}
                />
                <SuggestedName
                  name={usualNames[channel]?.[key]}
                  current={events[key]}
                  onTake={(usual) => setEvents({ ...events, [key]: usual })}
                />
              </span>
            )}
          </Labelled>
        ))}
      </fieldset>
      <Labelled title={t.exports.everyMinutes}>
        {(field) => (
          <input
            id={field}
            className="field w-28"
            type="number"
            required
            min={limits.exportMinutes.min}
            max={limits.exportMinutes.max}
            value={minutes}
            onChange={({ target: { value } }) => setMinutes(value)}
          />
        )}
      </Labelled>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={isEnabled} onChange={({ target: { checked } }) => setEnabled(checked)} />
        {t.exports.sendThem}
      </label>
      <p className="label">{t.exports.fromNowOn}</p>
      <Failed error={save.error} />
      <div>
        <button type="submit" className="button-main" disabled={save.isPending}>
          {t.exports.save}
        </button>
      </div>
    </form>
  );
}

interface SuggestedNameProps {
  readonly name: string | undefined;
  readonly current: string | undefined;
  readonly onTake: (name: string) => void;
}

function SuggestedName({ name, current, onTake }: SuggestedNameProps) {
  if (!name || name === current) return null;
  return (
    <button type="button" className="button" onClick={() => onTake(name)}>
      {t.exports.takeName(name)}
    </button>
  );
}

interface PixelFieldProps {
  readonly profileId: string;
  readonly connectionId: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function PixelField({ profileId, connectionId, value, onChange }: PixelFieldProps) {
  const pixels = useQuery(pixelsQuery(profileId, connectionId));
  return (
    <QueryResult query={pixels} lines={1}>
      {(all) => (
        <Labelled title={t.exports.pixel}>
          {(field) => (
            <select
              id={field}
              className="field"
              required
              value={value}
              onChange={({ target }) => onChange(target.value)}
            >
              <option value="">{t.exports.choosePixel}</option>
              {value !== '' && !all.some(({ id }) => id === value) && <option value={value}>{value}</option>}
              {all.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name ? `${name} (${id})` : id}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      )}
    </QueryResult>
  );
}

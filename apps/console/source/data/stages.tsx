import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import { language } from '../messages/language.ts';
import { Failed } from '../parts/page.tsx';
import { QueryResult } from '../parts/states.tsx';
import { type Stage, stagesQuery } from './queries.ts';

/** The mapping of the CRM's pipeline stages to conversions. */
export function Stages({ profileId }: { readonly profileId: string }) {
  const query = useQuery(stagesQuery(profileId));
  return (
    <section className="card p-5" aria-labelledby="stages">
      <h2 id="stages">{t.stages.title}</h2>
      <p className="label mb-3 max-w-prose">{t.stages.about}</p>
      <QueryResult query={query}>
        {({ stages, outcomes, can_write: canWrite }) =>
          stages.length === 0 ? (
            <p>{t.stages.none}</p>
          ) : (
            <ul className="grid gap-2">
              {stages.map((stage) => (
                <StageLine
                  key={stage.definition_id}
                  profileId={profileId}
                  stage={stage}
                  outcomes={outcomes}
                  canWrite={canWrite}
                />
              ))}
            </ul>
          )
        }
      </QueryResult>
    </section>
  );
}

interface LineProps {
  readonly profileId: string;
  readonly stage: Stage;
  readonly outcomes: readonly { readonly key: Stage['current']['event_key']; readonly label: string }[];
  readonly canWrite: boolean;
}

function StageLine({ profileId, stage, outcomes, canWrite }: LineProps) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (key: string) =>
      clientFor(profileId).updateOutcomeDefinition({ params: { id: stage.definition_id }, body: { event_key: key } }),
    onSuccess: () => queryClient.invalidateQueries(stagesQuery(profileId)),
  });
  const suggested = outcomes.find(({ key }) => key === stage.suggested);
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-2">
      <span>
        {stage.name}
        <span className="label block">
          {stage.pipeline.name}
          {suggested && t.stages.suggested(titleOf(suggested))}
        </span>
      </span>
      <select
        aria-label={t.stages.countsAs(stage.name)}
        className="field"
        value={stage.current.event_key}
        disabled={!canWrite || change.isPending}
        onChange={({ target }) => change.mutate(target.value)}
      >
        {outcomes.map(({ key, label }) => (
          <option key={key} value={key}>
            {titleOf({ key, label })}
          </option>
        ))}
      </select>
      <Failed error={change.error} />
    </li>
  );
}

/** The API's label is English; custom goals keep their own name. */
const titleOf = ({ key, label }: LineProps['outcomes'][number]): string => (language === 'en' ? label : words(key));

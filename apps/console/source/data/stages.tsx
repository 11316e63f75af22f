import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { Failed } from '../parts/page.tsx';
import { Answered } from '../parts/states.tsx';
import { type Stage, stagesQuery } from './queries.ts';

/** What the stages of the CRM's pipelines count as. */
export function Stages({ profileId }: { readonly profileId: string }) {
  const query = useQuery(stagesQuery(profileId));
  return (
    <section className="card p-5" aria-labelledby="stages">
      <h2 id="stages">What CRM stages count as</h2>
      <p className="label mb-3 max-w-prose">
        A deal in a stage that is mapped is an outcome. What a name suggests is chosen already; say otherwise where it
        is wrong.
      </p>
      <Answered query={query}>
        {({ stages, outcomes, can_write: canWrite }) =>
          stages.length === 0 ? (
            <p>The CRM has no pipelines.</p>
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
      </Answered>
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
  const suggested = outcomes.find(({ key }) => key === stage.suggested)?.label;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-2">
      <span>
        {stage.name}
        <span className="label block">
          {stage.pipeline.name}
          {suggested && `, suggested: ${suggested}`}
        </span>
      </span>
      <select
        aria-label={`What ${stage.name} counts as`}
        className="field"
        value={stage.current.event_key}
        disabled={!canWrite || change.isPending}
        onChange={({ target }) => change.mutate(target.value)}
      >
        {outcomes.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
      <Failed error={change.error} />
    </li>
  );
}

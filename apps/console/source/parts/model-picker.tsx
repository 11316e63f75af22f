import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { definitions } from '../fields.ts';
import { words } from '../format.ts';
import { useChangeSearch, usePlace } from '../place.ts';
import { goalsQuery } from '../queries.ts';
import type { Model } from '../search.ts';
import { models } from '../vocabulary.ts';
import { say } from '../words/index.ts';

/** How far back touches count, as the goals say it. */
function AttributionWindow() {
  const { place } = usePlace();
  const { data } = useQuery(goalsQuery(place.profileId));
  const [shortest, longest] = [data?.windows.at(0), data?.windows.at(-1)];
  if (shortest === undefined) return null;
  const about = definitions.window;
  return (
    <span className="label cursor-help" title={about} aria-description={about}>
      {say.models.window(shortest === longest ? shortest : say.models.fromTo(shortest, longest ?? shortest))}
    </span>
  );
}

/** Which of the six rules says who earned a conversion. */
export function ModelPicker() {
  const { model } = usePlace();
  const change = useChangeSearch();
  const [picker, about] = [useId(), useId()];
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <label htmlFor={picker} className="label">
        {say.models.model}
      </label>
      <select
        id={picker}
        aria-describedby={about}
        className="field"
        value={model}
        onChange={({ target }) => change({ model: target.value as Model })}
      >
        {Object.keys(models).map((name) => (
          <option key={name} value={name}>
            {words(name)}
          </option>
        ))}
      </select>
      <span id={about} className="label">
        {say.models.about[model]}
      </span>
      <AttributionWindow />
    </div>
  );
}

import { Link, useNavigate } from '@tanstack/react-router';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import { levelChoices } from '../parts/levels.ts';
import type { CampaignRow } from '../queries.ts';
import type { CampaignSearch, Level, Within } from '../search.ts';

interface PathProps {
  readonly level: Level;
  readonly within: Within | undefined;
  readonly rows: readonly CampaignRow[];
}

/** The breadcrumbs of the drill-down. */
export function Path({ level, within, rows }: PathProps) {
  const navigate = useNavigate({ from: '/p/$profileId/campaigns' });
  if (!within)
    return (
      <Choice
        label={t.levels.whatRows}
        value={level}
        options={levelChoices}
        onChange={(next) =>
          void navigate({ to: '.', search: ({ explain: _, within: __, ...before }) => ({ ...before, level: next }) })
        }
      />
    );
  const parent = rows.find((row) =>
    within.adSet ? row.ad_set_external_id === within.adSet : row.campaign_external_id === within.campaign,
  )?.parent_name;
  return (
    <nav aria-label={t.common.whereYouAre}>
      <ol className="flex flex-wrap items-center gap-x-2">
        <Step to={{ level: 'campaign' }} title={t.pages.campaigns} />
        {within.adSet && (
          <Step
            to={{ level: 'ad_set', within: { platform: within.platform, campaign: within.campaign } }}
            title={t.levels.adSets}
          />
        )}
        <li aria-current="page" className="font-semibold">
          {parent ?? within.adSet ?? within.campaign}
        </li>
      </ol>
    </nav>
  );
}

function Step({ to, title }: { readonly to: CampaignSearch; readonly title: string }) {
  return (
    <li className="flex gap-2">
      <Link
        from="/p/$profileId/campaigns"
        to="."
        search={({ explain: _, within: __, ...before }) => ({ ...before, ...to })}
        className="text-accent hover:underline"
      >
        {title}
      </Link>
      <span aria-hidden="true" className="text-soft">
        ›
      </span>
    </li>
  );
}
